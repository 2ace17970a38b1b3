/** Sends real packets for flows, and finds those that don't do what the access engine says. */
import { setTimeout } from "node:timers/promises";
import type { Probe } from "../probe.ts";
import type { ProbedFlow, ProbeTraffic } from "./flows.ts";

/** An allowed flow may be late on a busy machine. */
const ALLOWED_MS = 20_000;
/** A denied flow never replies. Its tunnel is up when it is tried, so a reply would take milliseconds. */
const DENIED_MS = 700;
const PAUSE_MS = 200;
/** A message that needs three packets of nebula's interface. */
const LARGE_BYTES = 3000;

/** Tries again if an attempt ends early: without a route, which may be late too, it fails immediately. */
async function isReached(probe: Probe, flow: ProbedFlow, ms: number): Promise<boolean> {
  const endsAt = performance.now() + ms;
  do {
    if (await isReachedOnce(probe, flow, endsAt - performance.now())) return true;
    await setTimeout(PAUSE_MS);
  } while (performance.now() < endsAt);
  return false;
}

function isReachedOnce(probe: Probe, { destination, traffic }: ProbedFlow, ms: number): Promise<boolean> {
  const { protocol, port, isLarge }: ProbeTraffic = traffic;
  if (protocol === "ICMP") return probe.ping(destination);
  const name = protocol === "TCP" ? "tcp" : "udp";
  return probe.reach(name, destination, port!, ms, isLarge ? LARGE_BYTES : undefined);
}

/** Returns the flows that were denied although the engine allows them, or the other way around. */
export async function findDisagreements(
  probeOf: (hostID: string) => Probe,
  flows: readonly ProbedFlow[],
): Promise<ProbedFlow[]> {
  const probe = async (flow: ProbedFlow, ms: number) =>
    (await isReached(probeOf(flow.sourceID), flow, ms)) === flow.isExpected ? [] : [flow];
  const allowed = flows.filter(({ isExpected }) => isExpected);
  const denied = flows.filter(({ isExpected }) => !isExpected);
  // Also denied packets make nebula open a tunnel, which takes longer than the packet.
  const [missing] = await Promise.all([
    Promise.all(allowed.map((flow) => probe(flow, ALLOWED_MS))),
    Promise.all(denied.map((flow) => isReached(probeOf(flow.sourceID), flow, DENIED_MS))),
  ]);
  const unexpected = await Promise.all(denied.map((flow) => probe(flow, DENIED_MS)));
  return [...missing, ...unexpected].flat();
}
