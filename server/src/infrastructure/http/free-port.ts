import { connect } from "node:net";
import { type Config, ConfigError } from "../config/config.ts";

type Address = Pick<Config, "host" | "port">;

const problems: Record<string, (address: Address) => string> = {
  EADDRINUSE: ({ port }) =>
    `Port ${port} is already in use. Stop the process that uses it, or set PORT to another port.`,
  EACCES: ({ port }) => `Port ${port} needs more permissions. Set PORT to a port above 1023.`,
  EADDRNOTAVAIL: ({ host }) => `This machine has no address ${host}. Set HOST to one of its addresses.`,
};

/** An error of listening in one sentence, where it is about the address. */
export function explainListenError(error: unknown, address: Address): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const problem = code === undefined ? undefined : problems[code];
  return problem ? new ConfigError(problem(address)) : error;
}

const CONNECT_MS_MAX = 1000;

/**
 * Before anything else is started, so that a server that already runs with the same data is left alone. Connects
 * instead of listening: a socket that listens for a moment would accept connections and drop them.
 */
export async function requireFreePort({ host, port }: Address): Promise<void> {
  const target = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  if (port !== 0 && (await isAnswered(target, port)))
    throw explainListenError({ code: "EADDRINUSE" }, { host, port });
}

function isAnswered(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS_MAX });
    const end = (isAnswer: boolean) => {
      socket.destroy();
      resolve(isAnswer);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
}
