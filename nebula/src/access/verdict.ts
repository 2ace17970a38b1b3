// Whether a host can open a connection to a host or to an address behind a route, and why.

import type { InboundRule } from "../firewall.ts";
import { ipPrefixContains } from "../ip-prefixes.ts";
import { familiesOf, familyOf, familyOfPrefix } from "./families.ts";
import { findRoute } from "./find-route.ts";
import type { RouteToAddress } from "./find-route.ts";
import { findMatchingRules, isOverlayAddress, readHostFirewall, readPrefix } from "./host-firewall.ts";
import { findSmallestRule } from "./smallest-rule.ts";
import type { SmallestRule } from "./smallest-rule.ts";
import { indexNetwork, toCanonicalAddress } from "./network-index.ts";
import type { AccessHost, AccessNetwork, Flow } from "./network.ts";

/** The first check that fails. Outbound rules are no check: every host may send to all others. */
export type FailedCheck =
  | { readonly kind: "notEnrolled" | "blocked" | "expired" | "untrustedCa"; readonly hostID: string }
  /** A host's traffic to itself doesn't enter the network. */
  | { readonly kind: "sameHost" }
  /** No host has the address. */
  | { readonly kind: "unknownAddress" }
  /** The source has no route to the address. */
  | { readonly kind: "noRoute" }
  /** The source, or the router, has no address of the destination's family. */
  | { readonly kind: "noCommonFamily"; readonly hostID: string }
  /** The router doesn't serve the subnet, because its Nebula would allow more than the route's rules. */
  | { readonly kind: "notServed"; readonly hostID: string }
  | { readonly kind: "noRule"; readonly hostID: string };

export interface Verdict {
  readonly isAllowed: boolean;
  readonly failedCheck?: FailedCheck;
  /** The host whose rules decide: the destination, or the router in front of it. */
  readonly host?: AccessHost;
  readonly route?: RouteToAddress;
  /** The rules that match, all of them: removing one of several closes nothing. */
  readonly rules: readonly InboundRule[];
  /** Only if a rule is all that is missing. */
  readonly smallestRule?: SmallestRule;
}

export function verdict(network: AccessNetwork, flow: Flow): Verdict {
  const found = checkFlow(network, flow);
  if (found.failedCheck?.kind !== "noRule" || !found.host) return found;
  const smallestRule = findSmallestRule(network, toCanonicalFlow(flow), found.host);
  return { ...found, ...(smallestRule && { smallestRule }) };
}

/** The verdict without the smallest rule, which takes longer than the rest. */
export function checkFlow(network: AccessNetwork, given: Flow): Verdict {
  const flow = toCanonicalFlow(given);
  const address = readPrefix(flow.destination);
  if (isOverlayAddress(network, address)) {
    const host = indexNetwork(network).byAddress.get(flow.destination);
    return host ? checkRules(network, flow, host) : denied({ kind: "unknownAddress" });
  }
  const problem = findProblem(network, flow.source);
  if (problem) return denied(problem);
  if ((familiesOf(flow.source) & familyOfPrefix(address)) === 0)
    return denied({ kind: "noCommonFamily", hostID: flow.source.id });
  const route = findRoute(network, flow.source, address);
  if (!route) return denied({ kind: "noRoute" });
  const verdicts = route.routers.map((router) => checkRules(network, flow, router));
  // Nebula may send the connection through any of the routers, so all of them have to allow it.
  const [first] = [...verdicts.filter(({ isAllowed }) => !isAllowed), ...verdicts];
  return { ...(first ?? denied({ kind: "noRoute" })), route };
}

const toCanonicalFlow = (flow: Flow): Flow => ({
  ...flow,
  destination: toCanonicalAddress(flow.destination),
});

const denied = (failedCheck: FailedCheck): Verdict => ({ isAllowed: false, failedCheck, rules: [] });

function checkRules(
  network: AccessNetwork,
  { source, destination, traffic }: Flow,
  host: AccessHost,
): Verdict {
  if (source.id === host.id) return { ...denied({ kind: "sameHost" }), host };
  const problem = findProblem(network, source) ?? findProblem(network, host);
  if (problem) return { ...denied(problem), host };
  const other = [source, host].find((each) => (familiesOf(each) & familyOf(destination)) === 0);
  if (other) return { ...denied({ kind: "noCommonFamily", hostID: other.id }), host };
  const firewall = readHostFirewall(network, host);
  const local = { address: readPrefix(destination), isOwn: host.addresses.includes(destination) };
  const isServed = firewall.subnets.some((subnet) => ipPrefixContains(subnet, local.address));
  if (!local.isOwn && !isServed) return { ...denied({ kind: "notServed", hostID: host.id }), host };
  const rules = findMatchingRules(firewall, source, traffic, local);
  if (rules.length > 0) return { isAllowed: true, host, rules };
  return { ...denied({ kind: "noRule", hostID: host.id }), host };
}

/** Why the host can't have a tunnel to any other. */
export function findProblem(network: AccessNetwork, host: AccessHost): FailedCheck | undefined {
  const { certificate, isBlocked, id: hostID } = host;
  if (isBlocked) return { kind: "blocked", hostID };
  if (!certificate) return { kind: "notEnrolled", hostID };
  if (certificate.expiresAt.getTime() <= network.now.getTime()) return { kind: "expired", hostID };
  if (!network.trustedCaIDs.has(certificate.caID)) return { kind: "untrustedCa", hostID };
  return undefined;
}
