import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections, which could take a free port before a server does. */
const FIRST_PORT = 10_000;
const LAST_PORT = 32_000;

export async function freePort(): Promise<number> {
  const port = randomInt(FIRST_PORT, LAST_PORT);
  return (await isFree(port)) ? port : freePort();
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
