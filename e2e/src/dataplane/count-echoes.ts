import { setTimeout as sleep } from "node:timers/promises";
import type { OverlayHost } from "./overlay-host.ts";

/** Longer than nebula tries a handshake (5.5 s). */
const DURATION_MS = 7000;
const INTERVAL_MS = 200;

/** Counts the ICMP replies between all addresses of a host and its peers, in both directions, for DURATION_MS. */
export async function countEchoesBetween(host: OverlayHost, peers: readonly OverlayHost[]): Promise<number> {
  const pings = peers.flatMap((peer) => [
    ...peer.addresses.map((address) => host.probe.startPing(address, INTERVAL_MS)),
    ...host.addresses.map((address) => peer.probe.startPing(address, INTERVAL_MS)),
  ]);
  await sleep(DURATION_MS);
  const counts = await Promise.all(pings.map((ping) => ping.stop()));
  return counts.reduce((total, { received }) => total + received, 0);
}
