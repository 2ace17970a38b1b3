// What a host accepts, and from which classes of hosts.

import type { InboundRule } from "../firewall.ts";
import { noBits, uniteBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import { findPeers } from "./classes.ts";
import type { ClassView } from "./classes.ts";
import { appliesTo, readHostFirewall, readPrefix } from "./host-firewall.ts";
import type { LocalAddress } from "./host-firewall.ts";
import type { AccessHost } from "./network.ts";
import { splitPorts, TRAFFIC_PROTOCOLS, trafficOf } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";

/** One rule of a host. */
export interface Opening {
  readonly rule: InboundRule;
  readonly traffic: readonly TrafficRange[];
  readonly sources: Bits;
}

/** The openings of a host's own address. */
export const findOpenings = (view: ClassView, host: AccessHost): Opening[] =>
  findOpeningsAt(view, host, { address: readPrefix(host.address), isOwn: true });

/** The openings of the host's own address, or of an address behind it. */
export function findOpeningsAt(view: ClassView, host: AccessHost, local: LocalAddress): Opening[] {
  const firewall = readHostFirewall(view.network, host);
  return firewall.rules
    .filter(({ compiled }) => compiled.some((rule) => appliesTo(rule, firewall, local)))
    .map((rule) => ({
      rule,
      traffic: trafficOf(rule.rule),
      sources: findPeers(view, rule.rule),
    }));
}

/** The classes that may send each part of the traffic. The parts have nothing in common. */
export interface AllowedSources extends TrafficRange {
  readonly sources: Bits;
}

/** Splits the traffic of all openings at the given ranges too, so that two results can be compared part by part. */
export function splitTraffic(
  openings: readonly Opening[],
  others: readonly Opening[],
  classes: number,
): AllowedSources[] {
  return TRAFFIC_PROTOCOLS.flatMap((protocol) => {
    const rangesOf = (some: readonly Opening[]) =>
      some.flatMap(({ traffic }) => traffic.filter((range) => range.protocol === protocol));
    return splitPorts([...rangesOf(openings), ...rangesOf(others)]).map((part) => ({
      protocol,
      ...part,
      sources: openings
        .filter(({ traffic }) =>
          traffic.some(
            ({ protocol: other, from, to }) => other === protocol && part.from >= from && part.to <= to,
          ),
        )
        .reduce((sources, opening) => uniteBits(sources, opening.sources), noBits(classes)),
    }));
  });
}
