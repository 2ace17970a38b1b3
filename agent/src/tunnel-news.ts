/** That nebula has made or closed tunnels, by what it logs: told soon, and not too often. */
import type { NebulaLog } from "./logs.ts";

const NEWS = /handshake message (received|sent)|tearing down|tunnel status/i;
/** Those that come together are told together. */
const SOON_MS = 1000;
const SPACING_MS = 30_000;

/** Returns how to stop it. */
export function watchTunnels({ lines }: Pick<NebulaLog, "lines">, tell: () => void): () => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const listen = (line: string) => {
    if (timer || !NEWS.test(line)) return;
    const wait = Math.max(SOON_MS, toldAt + SPACING_MS - performance.now());
    timer = setTimeout(() => {
      timer = undefined;
      toldAt = performance.now();
      tell();
    }, wait);
  };
  lines.on("line", listen);
  return () => {
    lines.off("line", listen);
    clearTimeout(timer);
  };
}
