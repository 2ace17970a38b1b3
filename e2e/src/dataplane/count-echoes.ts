import { setTimeout as sleep } from "node:timers/promises";
import type { OverlayHost } from "./overlay-host.ts";

/** Longer than nebula tries a handshake (5.5 s). */
const DURATION_MS = 7000;
const INTERVAL_MS = 200;

/** Counts the ICMP replies between a host and its peers, in both directions, for DURATION_MS. */
export async function countEchoesBetween(host: OverlayHost, peers: readonly OverlayHost[]): Promise<number> {
  const pings = peers.flatMap((peer) => [
    host.probe.startPing(peer.address, INTERVAL_MS),
    peer.probe.startPing(host.address, INTERVAL_MS),
  ]);
  await sleep(DURATION_MS);
  const counts = await Promise.all(pings.map((ping) => ping.stop()));
  return counts.reduce((total, { received }) => total + received, 0);
}
