import { connect } from "node:net";
import { type Config, ConfigError } from "../config/config.ts";

type Address = Pick<Config, "host" | "port">;

const problems: Record<string, (address: Address) => string> = {
  EADDRINUSE: ({ port }) =>
    `Port ${port} is already in use. Stop the process that uses it, or set PORT to another port.`,
  EACCES: ({ port }) => `You don’t have permission to use port ${port}. Set PORT to a port above 1023.`,
  EADDRNOTAVAIL: ({ host }) => `This machine has no address ${host}. Set HOST to one of its addresses.`,
};

/** Returns a readable error if the address is the cause. */
export function explainListenError(error: unknown, address: Address): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const problem = code === undefined ? undefined : problems[code];
  return problem ? new ConfigError(problem(address)) : error;
}

const CONNECT_MS_MAX = 1000;

/**
 * Checked before anything else starts, to protect a running server with the same data. Connects instead of listening:
 * a socket that listens for a moment would accept and drop connections.
 */
export async function requireFreePort({ host, port }: Address): Promise<void> {
  const target = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  if (port !== 0 && (await isListening(target, port)))
    throw explainListenError({ code: "EADDRINUSE" }, { host, port });
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS_MAX });
    const finish = (isConnected: boolean) => {
      socket.destroy();
      resolve(isConnected);
    };
    socket.once("connect", () => finish(true));
    socket.once("timeout", () => finish(false));
    socket.once("error", () => finish(false));
  });
}
