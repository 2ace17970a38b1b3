/** Which addresses a new host gets: named ones, some of named prefixes, or any free ones. */
import {
  formatIpPrefix,
  ipPrefixContains,
  type IpPrefix,
  ipToNumber,
  isIpv4,
  isMasked,
  parseIp,
  parseIpPrefix,
  isIpv6Text,
} from "@lightkeeper/nebula";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { LockedNetwork } from "../networks/revisions.service.ts";

export interface AddressRequest {
  /** An address, a prefix to allocate from, or undefined for any address. */
  address: string | undefined;
  path: string | undefined;
}

export type Family = "IPv4" | "IPv6";

/** Undefined if the host gets no address of the family. */
export type RequestsByFamily = Record<Family, AddressRequest | undefined>;

type Ranges = Pick<LockedNetwork, "cidr" | "ipv6_cidr" | "cert_version">;

export interface AddressRange {
  first: bigint;
  last: bigint;
}

const ANY: AddressRequest = { address: undefined, path: undefined };

const invalidAddress = ({ path }: AddressRequest, message: string) =>
  new ApiError("ERR_INVALID_VALUE", { ...(path !== undefined && { path }), message });

/**
 * Hosts always get an address of the family that their network always has, and an IPv4 address beside IPv6 only if
 * they request one.
 */
export function splitByFamily(network: Ranges, requests: readonly AddressRequest[]): RequestsByFamily {
  const { cert_version, cidr, ipv6_cidr } = network;
  if (ipv6_cidr === null) return { IPv4: requireOnlyOne(requests) ?? ANY, IPv6: undefined };
  const isIpv6 = ({ address = "" }: AddressRequest) => isIpv6Text(address);
  const [ipv6, secondIpv6] = requests.filter(isIpv6);
  const [ipv4, secondIpv4] = requests.filter((request) => !isIpv6(request));
  const second = secondIpv6 ?? secondIpv4;
  if (second) throw invalidAddress(second, "a host has at most one IPv4 and one IPv6 address");
  if (ipv4 && cidr === null) throw invalidAddress(ipv4, "must be an IPv6 address or prefix");
  return { IPv4: ipv4 ?? (cert_version === 1 ? ANY : undefined), IPv6: ipv6 ?? ANY };
}

function requireOnlyOne([first, second]: readonly AddressRequest[]): AddressRequest | undefined {
  if (second) throw invalidAddress(second, "hosts in this network have one IPv4 address");
  return first;
}

export const isSingleAddress = ({ address }: AddressRequest) =>
  address !== undefined && !address.includes("/");

/** The range of a network and the addresses of hosts in it. */
export function rangeOf(network: Ranges & { id: string }, family: Family): AddressRange & { cidr: IpPrefix } {
  const cidr = parseIpPrefix((family === "IPv4" ? network.cidr : network.ipv6_cidr) ?? "");
  if (!cidr) throw new Error(`${network.id} has no ${family} range`);
  const { first, last } = toRange(cidr);
  // IPv6 has no broadcast address, but the first address means any router of the network.
  return { cidr, first: first + 1n, last: family === "IPv4" ? last - 1n : last };
}

function toRange({ address, prefixLength }: IpPrefix): AddressRange {
  const first = ipToNumber(address);
  return { first, last: first + (1n << BigInt(address.length * 8 - prefixLength)) - 1n };
}

/** The addresses that the request allows: one for an address, several for a prefix. */
export function requestedRange(
  range: AddressRange & { cidr: IpPrefix },
  family: Family,
  request: AddressRequest,
): AddressRange {
  const { address: text } = request;
  if (text === undefined) return range;
  const prefix = text.includes("/") ? parseIpPrefix(text) : toSinglePrefix(text);
  if (!prefix || !isMasked(prefix) || isIpv4(prefix.address) !== (family === "IPv4"))
    throw invalidAddress(request, `must be an ${family} address or prefix`);
  if (!ipPrefixContains(range.cidr, prefix))
    throw invalidAddress(request, `must be inside ${formatIpPrefix(range.cidr)}`);
  const { first, last } = toRange(prefix);
  if (isSingleAddress(request) && (first < range.first || first > range.last))
    throw invalidAddress(
      request,
      family === "IPv4"
        ? "must not be the network address or the broadcast address"
        : "must not be the first address of the network",
    );
  return {
    first: first > range.first ? first : range.first,
    last: last < range.last ? last : range.last,
  };
}

function toSinglePrefix(text: string): IpPrefix | undefined {
  const address = parseIp(text);
  return address && { address, prefixLength: address.length * 8 };
}

/** Throws for requests that the network could never fulfill. */
export function requireValidAddresses(
  network: Ranges & { id: string },
  requests: readonly AddressRequest[],
): void {
  for (const [family, request] of Object.entries(splitByFamily(network, requests)) as [
    Family,
    AddressRequest | undefined,
  ][])
    if (request) requestedRange(rangeOf(network, family), family, request);
}
