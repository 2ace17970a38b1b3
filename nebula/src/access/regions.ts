// The subnets behind routers, divided so that all addresses of a region are treated alike: by rules, which may apply to
// a part of a subnet, and by routes, of which the most specific one is used.

import {
  formatIp,
  formatIpPrefix,
  ipPrefixContains,
  ipToNumber,
  isIpv4,
  maskIpPrefix,
  numberToIp,
} from "../ip-prefixes.ts";
import type { IpPrefix } from "../ip-prefixes.ts";
import { readPrefix } from "./host-firewall.ts";
import type { AccessNetwork } from "./network.ts";

export interface Region {
  readonly cidr: string;
  /** Parts of the subnet that are regions of their own. */
  readonly except: readonly string[];
  /** An address of the region, which stands for all of them. */
  readonly address: string;
}

const regionsOfRoutes = new WeakMap<
  AccessNetwork["routes"],
  { cidrs: readonly string[]; regions: readonly Region[] }
>();

/** The regions of one network, which most changes keep. */
export function listRegions(network: AccessNetwork): readonly Region[] {
  const known = regionsOfRoutes.get(network.routes);
  if (known?.cidrs === network.cidrs) return known.regions;
  const regions = findRegions([network]);
  regionsOfRoutes.set(network.routes, { cidrs: network.cidrs, regions });
  return regions;
}

/** The regions of two networks, which are usually the same. */
export const listComparableRegions = (before: AccessNetwork, after: AccessNetwork): readonly Region[] =>
  before.routes === after.routes && before.cidrs === after.cidrs
    ? listRegions(after)
    : findRegions([before, after]);

/** Regions that are divided for all of the networks, so that they can be compared. */
export function findRegions(networks: readonly AccessNetwork[]): Region[] {
  const routes = networks.flatMap((network) => network.routes);
  const cidrs = routes.flatMap(({ routableCIDRs, firewallRules }) => {
    const subnets = Object.keys(routableCIDRs);
    const limits = firewallRules.flatMap(({ localCIDR }) => localCIDR ?? []);
    return [...subnets, ...limits.filter((limit) => subnets.some((subnet) => isWithin(limit, subnet)))];
  });
  const overlays = networks.flatMap((network) => network.cidrs);
  const distinct = new Set(
    [...cidrs, ...overlays].map((cidr) => formatIpPrefix(maskIpPrefix(readPrefix(cidr)))),
  );
  return [...distinct]
    .filter((cidr) => !networks.every(({ cidrs: own }) => own.some((overlay) => isWithin(cidr, overlay))))
    .flatMap((cidr) => {
      const inner = [...distinct].filter((other) => other !== cidr && isWithin(other, cidr));
      const except = inner.filter((one) => !inner.some((other) => other !== one && isWithin(one, other)));
      const address = findFreeAddress(readPrefix(cidr), except.map(readPrefix));
      return address === undefined ? [] : [{ cidr, except, address }];
    });
}

const isWithin = (inner: string, outer: string) => ipPrefixContains(readPrefix(outer), readPrefix(inner));

const sizeOf = ({ address, prefixLength }: IpPrefix) => 1n << BigInt(address.length * 8 - prefixLength);

/** No packet is sent to 0.0.0.0/8. */
const FIRST_IPV4 = 1n << 24n;
/** Below 2000::, only a few special ranges are used, such as ::1. */
const FIRST_GLOBAL_IPV6 = 1n << 125n;

/** The first address that is in none of the parts, which don't overlap. */
export function findFreeAddress(prefix: IpPrefix, parts: readonly IpPrefix[]): string | undefined {
  if (isIpv4(prefix.address)) return findFreeAddressFrom(FIRST_IPV4, prefix, parts);
  return findFreeAddressFrom(FIRST_GLOBAL_IPV6, prefix, parts) ?? findFreeAddressFrom(0n, prefix, parts);
}

function findFreeAddressFrom(
  first: bigint,
  prefix: IpPrefix,
  parts: readonly IpPrefix[],
): string | undefined {
  const start = ipToNumber(prefix.address);
  let candidate = start < first ? first : start;
  for (const part of parts.toSorted((a, b) => (ipToNumber(a.address) < ipToNumber(b.address) ? -1 : 1))) {
    const end = ipToNumber(part.address) + sizeOf(part);
    if (candidate >= ipToNumber(part.address) && candidate < end) candidate = end;
  }
  const end = start + sizeOf(prefix);
  if (candidate >= end) return undefined;
  const format = (number: bigint) => formatIp(numberToIp(number, prefix.address.length));
  // The first address of a subnet is usually no machine's.
  const next = candidate + 1n;
  const isFree = next < end && !parts.some((part) => ipPrefixContains(part, readPrefix(format(next))));
  return format(isFree ? next : candidate);
}

/** An address of the subnet that is neither in a region nor in an overlay; undefined if there is none. */
export function findUnservedAddress(
  cidr: string,
  networks: readonly AccessNetwork[],
  regions: readonly Region[],
): string | undefined {
  const subnet = maskIpPrefix(readPrefix(cidr));
  const served = [...regions.map((region) => region.cidr), ...networks.flatMap(({ cidrs }) => cidrs)].map(
    (each) => maskIpPrefix(readPrefix(each)),
  );
  if (served.some((prefix) => ipPrefixContains(prefix, subnet))) return undefined;
  const inner = served.filter((prefix) => ipPrefixContains(subnet, prefix));
  const distinct = [...new Map(inner.map((prefix) => [formatIpPrefix(prefix), prefix])).values()];
  const isOutermost = (prefix: IpPrefix) =>
    !distinct.some((other) => other !== prefix && ipPrefixContains(other, prefix));
  return findFreeAddress(subnet, distinct.filter(isOutermost));
}
