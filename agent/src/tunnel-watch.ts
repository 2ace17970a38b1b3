/** Watches nebula's log for created and closed tunnels. */
import { monotonicNow } from "./clock.ts";
import type { NebulaLog } from "./nebula-log.ts";

const TUNNEL_CHANGE = /handshake message (received|sent)|tearing down|tunnel status/i;
/** Changes within this time are reported together. */
const COLLECT_MS = 1000;
const SPACING_MS = 30_000;

/** Calls `onChange` at most every SPACING_MS. Returns the function that stops watching. */
export function watchTunnels({ lines }: Pick<NebulaLog, "lines">, onChange: () => void): () => void {
  let calledAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const onLine = (line: string) => {
    if (timer || !TUNNEL_CHANGE.test(line)) return;
    const delay = Math.max(COLLECT_MS, calledAt + SPACING_MS - monotonicNow());
    timer = setTimeout(() => {
      timer = undefined;
      calledAt = monotonicNow();
      onChange();
    }, delay);
  };
  lines.on("line", onLine);
  return () => {
    lines.off("line", onLine);
    clearTimeout(timer);
  };
}
