/** Addresses in the model: the lowest free one, found by trying each. */
import {
  formatIp,
  ipPrefixContains,
  type IpPrefix,
  ipPrefixesOverlap,
  ipToNumber,
  isIpv4,
  numberToIp,
  parseIpPrefix,
} from "@lightkeeper/nebula";
import { hostsIn, type ModelNetwork, type Organization } from "./state.ts";

export const isIpv6 = (text: string): boolean => text.includes(":");

export function readPrefix(text: string): IpPrefix {
  const prefix = parseIpPrefix(text.includes("/") ? text : `${text}/${isIpv6(text) ? 128 : 32}`);
  if (!prefix) throw new Error(`${text} is not a prefix`);
  return prefix;
}

export const contains = (outer: string, inner: string): boolean =>
  ipPrefixContains(readPrefix(outer), readPrefix(inner));

export const overlap = (a: string, b: string): boolean => ipPrefixesOverlap(readPrefix(a), readPrefix(b));

/** A request for an address of one family: an address, a prefix, or undefined for any. */
type Request = string | undefined;
export type Allocation =
  | { addresses: string[] }
  | { problem: "ERR_INVALID_VALUE" | "ERR_DUPLICATE_VALUE" | "ERR_NETWORK_FULLY_ALLOCATED" };

/** The lowest address of the request that no host has. Networks in the model are small, or nearly empty. */
function findFree(
  organization: Organization,
  network: ModelNetwork,
  cidr: string,
  request: Request,
): Allocation {
  const taken = new Set(hostsIn(organization, network.id).flatMap(({ addresses }) => addresses));
  const within = readPrefix(request ?? cidr);
  if (!contains(cidr, request ?? cidr)) return { problem: "ERR_INVALID_VALUE" };
  const bytes = within.address.length;
  const sizeOf = ({ prefixLength }: IpPrefix) => 1n << BigInt(bytes * 8 - prefixLength);
  const network0 = ipToNumber(readPrefix(cidr).address);
  const broadcast = isIpv4(within.address) ? network0 + sizeOf(readPrefix(cidr)) - 1n : undefined;
  const first = ipToNumber(within.address);
  const isSingle = request !== undefined && !request.includes("/");
  for (let number = first; number < first + sizeOf(within); number += 1n) {
    const isReserved = number === network0 || number === broadcast;
    if (isSingle && isReserved) return { problem: "ERR_INVALID_VALUE" };
    const address = formatIp(numberToIp(number, bytes));
    if (!isReserved && !taken.has(address)) return { addresses: [address] };
  }
  return { problem: isSingle ? "ERR_DUPLICATE_VALUE" : "ERR_NETWORK_FULLY_ALLOCATED" };
}

/** Hosts get an address of the family that their network always has, and an IPv4 address beside IPv6 only on request. */
export function allocate(
  organization: Organization,
  network: ModelNetwork,
  requests: readonly string[],
): Allocation {
  const families = [false, true].map((isSix) => {
    const requested = requests.filter((request) => isIpv6(request) === isSix);
    const cidr = network.cidrs.find((each) => isIpv6(each) === isSix);
    const isAlways = isSix ? cidr !== undefined : network.certVersion === 1;
    return { requested, cidr, isWanted: requested.length > 0 || isAlways };
  });
  const addresses: string[] = [];
  for (const { requested, cidr, isWanted } of families) {
    if (!isWanted) continue;
    if (requested.length > 1 || cidr === undefined) return { problem: "ERR_INVALID_VALUE" };
    const found = findFree(organization, network, cidr, requested[0]);
    if ("problem" in found) return found;
    addresses.push(...found.addresses);
  }
  return { addresses };
}
