/** PgBouncer in transaction mode, and a server that uses it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { Replacements } from "./deployment.ts";
import { ManagedProcess } from "./managed-process.ts";
import { SERVER_PROGRAM, type System } from "./system.ts";

const PORT = 6432;
const SERVER_PORT = 8081;

export const poolerURL = ({ databaseURL }: System): string => databaseURL.replace(":5432/", `:${PORT}/`);

const isListening = (host: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host, port: PORT });
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

export function createPooler(
  { deployment, folder }: System,
  { replacements = [] }: { replacements?: Replacements } = {},
): ManagedProcess {
  const own = join(folder, "pgbouncer");
  mkdirSync(own, { recursive: true });
  const users = join(own, "userlist.txt");
  writeFileSync(users, deployment.render("userlist.txt"));
  const config = join(own, "pgbouncer.ini");
  const paths = ["/etc/pgbouncer/userlist.txt", users] as const;
  writeFileSync(config, deployment.render("pgbouncer.ini", { replacements: [paths, ...replacements] }));
  return new ManagedProcess({
    name: "PgBouncer",
    command: "/usr/sbin/pgbouncer",
    args: [config],
    // It doesn't run as root.
    user: "postgres",
    logFile: join(folder, "pgbouncer.log"),
    isReady: () => isListening(deployment.loadBalancer),
  });
}

export interface PooledServer {
  url: string;
  process: ManagedProcess;
}

/** A fourth server, on the first machine, whose database URLs the caller chooses. */
export function createPooledServer(system: System, urls: Record<string, string>): PooledServer {
  const url = `http://${system.deployment.addressOf(1)}:${SERVER_PORT}`;
  const process_ = new ManagedProcess({
    name: "the server with PgBouncer",
    command: process.execPath,
    args: [SERVER_PROGRAM, "serve"],
    environment: { ...system.environment, PORT: String(SERVER_PORT), ...urls },
    logFile: join(system.folder, "pooled-server.log"),
    isReady: () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
  return { url, process: process_ };
}
