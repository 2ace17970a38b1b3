// What a guarantee is about: hosts, destinations and traffic.

import type { FirewallRule, InboundRule } from "../firewall.ts";
import { ipPrefixContains, maskIpPrefix } from "../ip-prefixes.ts";
import { PORT_MAX } from "../ports.ts";
import { addBit, noBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import type { ClassView } from "./classes.ts";
import { findRoute } from "./find-route.ts";
import { readPrefix } from "./host-firewall.ts";
import { viewAllHosts, viewTrustedHosts } from "./host-view.ts";
import { indexNetwork, tableOf } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { trafficOf } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";
import { findFreeAddress } from "./regions.ts";
import type { Region } from "./regions.ts";

export type HostSelector =
  | { readonly type: "role" | "tag" | "host"; readonly id: string }
  | { readonly type: "any" };
export type DestinationSelector = HostSelector | { readonly type: "subnet"; readonly cidr: string };

export interface AccessGuarantee {
  readonly id: string;
  readonly type: "MUST_REACH" | "MUST_NEVER_REACH";
  readonly source: HostSelector;
  readonly destination: DestinationSelector;
  readonly protocol: FirewallRule["protocol"];
  readonly portRange: { readonly from: number; readonly to: number } | null;
}

/** A pair that breaks a guarantee, and a part of the traffic that does. */
export interface Violation {
  readonly source: AccessHost;
  /** Missing for an address behind a router. */
  readonly destination: AccessHost | undefined;
  readonly address: string;
  readonly traffic: TrafficRange;
  /** The rule that allows the traffic; missing if the traffic should be allowed and isn't. */
  readonly rule: InboundRule | undefined;
}

const trafficOfGuarantees = new WeakMap<AccessGuarantee, readonly TrafficRange[]>();

export function guaranteedTraffic(guarantee: AccessGuarantee): readonly TrafficRange[] {
  const known = trafficOfGuarantees.get(guarantee) ?? readGuaranteedTraffic(guarantee);
  trafficOfGuarantees.set(guarantee, known);
  return known;
}

/** A rule for ports 1 to 65535 is enough to reach all ports: applications don't send fragments or rare protocols alone. */
function readGuaranteedTraffic({ type, protocol, portRange }: AccessGuarantee): readonly TrafficRange[] {
  const traffic = trafficOf({ protocol, portRange });
  if (type === "MUST_NEVER_REACH") return traffic;
  return traffic
    .filter((range) => range.protocol !== "OTHER")
    .map((range) =>
      range.protocol === "ICMP"
        ? range
        : { ...range, from: Math.max(range.from, 1), to: Math.min(range.to, PORT_MAX) },
    );
}

/** A guarantee is about rules, so hosts count from their creation on; only an untrusted CA cuts them off. */
export const viewForGuarantee = (network: AccessNetwork, { type }: AccessGuarantee): ClassView =>
  type === "MUST_REACH" ? viewTrustedHosts(network) : viewAllHosts(network);

export function selectHosts(network: AccessNetwork, selector: HostSelector): Bits {
  const view = viewAllHosts(network);
  if (selector.type === "any") return view.connected;
  if (selector.type === "role") return view.byRole.get(selector.id) ?? noBits(view.size);
  if (selector.type === "tag") return view.byTag.get(selector.id) ?? noBits(view.size);
  const bits = noBits(view.size);
  const slot = tableOf(network).slotByID.get(selector.id);
  if (slot !== undefined) addBit(bits, slot);
  return bits;
}

export function isSelected(selector: HostSelector, host: AccessHost): boolean {
  if (selector.type === "any") return true;
  if (selector.type === "role") return host.roleID === selector.id;
  return selector.type === "tag" ? host.tags.includes(selector.id) : host.id === selector.id;
}

/** An address of the region that is also in the subnet, if there is one. */
export function findCommonAddress(region: Region, cidr: string): string | undefined {
  const [outer, subnet] = [readPrefix(region.cidr), maskIpPrefix(readPrefix(cidr))];
  if (ipPrefixContains(subnet, outer)) return region.address;
  if (!ipPrefixContains(outer, subnet)) return undefined;
  const except = region.except.map(readPrefix);
  if (except.some((part) => ipPrefixContains(part, subnet))) return undefined;
  return findFreeAddress(
    subnet,
    except.filter((part) => ipPrefixContains(subnet, part)),
  );
}

/** Routers whose traffic to the address doesn't enter the network, because the address is directly behind them. */
export function findLocalRouters(network: AccessNetwork, address: string): AccessHost[] {
  const prefix = readPrefix(address);
  const { byID, routesByRouterID } = indexNetwork(network);
  return [...routesByRouterID]
    .filter(([, routes]) =>
      routes.some(({ routableCIDRs }) =>
        Object.keys(routableCIDRs).some((cidr) => ipPrefixContains(readPrefix(cidr), prefix)),
      ),
    )
    .flatMap(([id]) => byID.get(id) ?? [])
    .filter((host) => !findRoute(network, host, prefix));
}
