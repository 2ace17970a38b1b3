// What a host accepts, and from which classes of hosts.

import type { InboundRule } from "../firewall.ts";
import { noBits, uniteBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import { findPeers } from "./classes.ts";
import type { ClassView } from "./classes.ts";
import { appliesTo, readHostFirewall, readPrefix } from "./host-firewall.ts";
import type { LocalAddress } from "./host-firewall.ts";
import { indexNetwork } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { overlaps, splitPorts, TRAFFIC_PROTOCOLS, trafficOf } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";

/** One rule of a host. */
export interface Opening {
  readonly rule: InboundRule;
  readonly traffic: readonly TrafficRange[];
  readonly sources: Bits;
}

/** The openings of a host's own address. */
export function findOpenings(view: ClassView, host: AccessHost): Opening[] {
  return listOwnRules(view.network, host).map((rule) => toOpening(view, rule));
}

/** The openings of a host's own address that allow a part of the traffic. */
export function findOpeningsFor(
  view: ClassView,
  host: AccessHost,
  traffic: readonly TrafficRange[],
): Opening[] {
  return listOwnRules(view.network, host)
    .filter(({ rule }) => overlaps(trafficOf(rule), traffic))
    .map((rule) => toOpening(view, rule));
}

/** The rules that apply to a host's own address. */
function listOwnRules(network: AccessNetwork, host: AccessHost): readonly InboundRule[] {
  const firewall = readHostFirewall(network, host);
  if (!indexNetwork(network).routesByRouterID.has(host.id)) return firewall.rules;
  const local = { address: readPrefix(host.address), isOwn: true };
  return firewall.rules.filter(({ compiled }) => compiled.some((rule) => appliesTo(rule, firewall, local)));
}

/** The openings of an address behind the host. */
export function findOpeningsAt(view: ClassView, host: AccessHost, local: LocalAddress): Opening[] {
  const firewall = readHostFirewall(view.network, host);
  return firewall.rules
    .filter(({ compiled }) => compiled.some((rule) => appliesTo(rule, firewall, local)))
    .map((rule) => toOpening(view, rule));
}

const toOpening = (view: ClassView, rule: InboundRule): Opening => ({
  rule,
  traffic: trafficOf(rule.rule),
  sources: findPeers(view, rule.rule),
});

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
