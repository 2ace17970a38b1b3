/**
 * Nebula's SSH debug console: bound to loopback on a free port, with keys created for each start, and for each agent
 * that continues with a running nebula. The agent's login key is kept in memory only.
 */
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { ConfigMap } from "./config.ts";
import { systemErrorCode } from "./errors.ts";
import { authorizedKey, runOverSsh } from "./ssh.ts";

const USER = "agent";
const COMMAND_SECONDS = 8;
const RETRY_MS = 250;

export interface DebugConsole {
  /** The `sshd` section of nebula's configuration. */
  readonly config: ConfigMap;
  /** The console's private host key, PEM. */
  readonly hostKey: string;
  run(command: string): Promise<string>;
}

export async function createDebugConsole(hostKeyPath: string): Promise<DebugConsole> {
  const hostKeys = generateKeyPairSync("ed25519");
  const userKeys = generateKeyPairSync("ed25519");
  const port = await findFreePort();
  const target = { port, user: USER, userKeys, hostKey: hostKeys.publicKey };
  return {
    config: {
      enabled: true,
      listen: `127.0.0.1:${port}`,
      host_key: hostKeyPath,
      authorized_users: [{ user: USER, keys: [authorizedKey(userKeys.publicKey)] }],
    },
    hostKey: hostKeys.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    async run(command) {
      try {
        return await runOverSsh(target, command, COMMAND_SECONDS);
      } catch (error) {
        // A reload closes the console briefly.
        if (systemErrorCode(error) !== "ECONNREFUSED") throw error;
        await wait(RETRY_MS);
        return runOverSsh(target, command, COMMAND_SECONDS);
      }
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
