import type { OverlayHost } from "./overlay-host.ts";
import { sleep } from "./shell.ts";

/** Longer than nebula tries a handshake for (5.5 s). */
const WATCHED_MS = 7000;
const EVERY_MS = 200;

/**
 * How many of the echoes between the one and the others come back, either way. That something never comes can
 * only be seen by watching for a while.
 */
export async function echoesBetween(one: OverlayHost, others: readonly OverlayHost[]): Promise<number> {
  const pings = others.flatMap((other) => [
    one.probe.pingOn(other.address, EVERY_MS),
    other.probe.pingOn(one.address, EVERY_MS),
  ]);
  await sleep(WATCHED_MS);
  const counts = await Promise.all(pings.map((ping) => ping.stop()));
  return counts.reduce((total, { received }) => total + received, 0);
}
