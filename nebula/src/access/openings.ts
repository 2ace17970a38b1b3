// What a host accepts, and from which classes of hosts.

import type { InboundRule } from "../firewall.ts";
import { noBits, uniteBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import { findPeers } from "./classes.ts";
import type { ClassView } from "./classes.ts";
import { ALL_FAMILIES, familiesOf, familyOfPrefix } from "./families.ts";
import type { Families } from "./families.ts";
import { appliesTo, findOwnFamilies, readHostFirewall } from "./host-firewall.ts";
import type { LocalAddress } from "./host-firewall.ts";
import { indexNetwork } from "./network-index.ts";
import type { AccessHost } from "./network.ts";
import { overlaps, splitPorts, TRAFFIC_PROTOCOLS, trafficOf } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";

/** One rule of a host. */
export interface Opening {
  readonly rule: InboundRule;
  readonly traffic: readonly TrafficRange[];
  readonly sources: Bits;
}

/** The openings of a host's own addresses, or only of those of a family. */
export function findOpenings(view: ClassView, host: AccessHost, families?: Families): Opening[] {
  return listOwnOpenings(view, host, readHostFirewall(view.network, host).rules, families);
}

/** The openings of a host's own addresses that allow a part of the traffic. */
export function findOpeningsFor(
  view: ClassView,
  host: AccessHost,
  traffic: readonly TrafficRange[],
): Opening[] {
  const { rules } = readHostFirewall(view.network, host);
  return listOwnOpenings(
    view,
    host,
    rules.filter(({ rule }) => overlaps(trafficOf(rule), traffic)),
  );
}

/** The rules of a route may apply to some of the router's own addresses. */
function listOwnOpenings(
  view: ClassView,
  host: AccessHost,
  rules: readonly InboundRule[],
  wanted = ALL_FAMILIES,
): Opening[] {
  const families = familiesOf(host) & wanted;
  if (!indexNetwork(view.network).routesByRouterID.has(host.id))
    return rules.map((rule) => toOpening(view, rule, families));
  const firewall = readHostFirewall(view.network, host);
  return rules
    .map((rule) => ({ rule, applicable: findOwnFamilies(firewall, host, rule) & families }))
    .filter(({ applicable }) => applicable !== 0)
    .map(({ rule, applicable }) => toOpening(view, rule, applicable));
}

/** The openings of an address behind the host. */
export function findOpeningsAt(view: ClassView, host: AccessHost, local: LocalAddress): Opening[] {
  const firewall = readHostFirewall(view.network, host);
  return firewall.rules
    .filter(({ compiled }) => compiled.some((rule) => appliesTo(rule, firewall, local)))
    .map((rule) => toOpening(view, rule, familyOfPrefix(local.address)));
}

const toOpening = (view: ClassView, rule: InboundRule, families: Families): Opening => ({
  rule,
  traffic: trafficOf(rule.rule),
  sources: findPeers(view, rule.rule, families),
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
