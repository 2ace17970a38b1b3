/** The address ranges of a network: at most one of each family. */
import { randomBytes } from "node:crypto";
import {
  IPV6_PREFIX_LENGTH_MAX,
  IPV6_PREFIX_LENGTH_MIN,
  PREFIX_LENGTH_MAX,
  PREFIX_LENGTH_MIN,
} from "@lightkeeper/contract/limits";
import {
  cidrContains,
  formatCidr,
  formatIp,
  formatIpPrefix,
  ipPrefixContains,
  ipPrefixesOverlap,
  type IpPrefix,
  ipToNumber,
  isAligned,
  isIpv4,
  isMasked,
  nextFreeCidr,
  numberToIp,
  parseCidr,
  parseIpPrefix,
  PRIVATE_RANGES,
  toIpPrefix,
} from "@lightkeeper/nebula";
import { ApiError } from "../../infrastructure/errors/api-error.ts";

const DEFAULT_POOLS = ["100.100.0.0/16", "100.64.0.0/10"];
const DEFAULT_PREFIX_LENGTH = 22;
/** Unique local and global unicast addresses. */
const IPV6_RANGES = ["fc00::/7", "2000::/3"];
const ULA_FIRST_BYTE = 0xfd;
const ULA_RANDOM_BYTES = 5;
const IPV6_LENGTH = 16;
const IPV6_DEFAULT_PREFIX_LENGTH = 64;
const BEYOND_MASK = "must not have bits set beyond its mask";

export interface RequestedCidr {
  text: string;
  /** The caller's name for it. */
  path: string;
}

export interface NetworkCidrs {
  ipv4: IpPrefix | undefined;
  ipv6: IpPrefix | undefined;
}

/** IPv4 first. */
export const cidrsOf = ({ cidr, ipv6_cidr }: { cidr: string | null; ipv6_cidr: string | null }): string[] =>
  [cidr, ipv6_cidr].filter((each) => each !== null);

/** The columns of ranges in which no address is assigned. */
export function ipv4Columns(cidr: IpPrefix | undefined) {
  return {
    cidr: cidr ? formatIpPrefix(cidr) : null,
    next_address: cidr ? firstAddress(cidr) : null,
  };
}

export function ipv6Columns(cidr: IpPrefix | undefined) {
  return {
    ipv6_cidr: cidr ? formatIpPrefix(cidr) : null,
    next_ipv6_address: cidr ? firstAddress(cidr) : null,
  };
}

const firstAddress = ({ address }: IpPrefix) =>
  formatIp(numberToIp(ipToNumber(address) + 1n, address.length));

export const toPrefix = (text: string): IpPrefix => {
  const prefix = parseIpPrefix(text);
  if (!prefix) throw new Error(`${text} is not a CIDR`);
  return prefix;
};

export function requireIpv4Cidr({ text, path }: RequestedCidr): IpPrefix {
  const cidr = parseCidr(text);
  if (!cidr) throw new ApiError("ERR_INVALID_IPV4_CIDR", { path });
  if (cidr.prefixLength < PREFIX_LENGTH_MIN || cidr.prefixLength > PREFIX_LENGTH_MAX)
    throw new ApiError("ERR_INVALID_CIDR_MASK_SIZE", { path });
  if (!isAligned(cidr)) throw new ApiError("ERR_INVALID_IPV4_CIDR", { path, message: BEYOND_MASK });
  if (!PRIVATE_RANGES.some((range) => cidrContains(range, cidr)))
    throw new ApiError("ERR_INVALID_VALUE", {
      path,
      message: `must be inside ${PRIVATE_RANGES.map(formatCidr).join(", ")}`,
    });
  return toIpPrefix(cidr);
}

function requireIpv6Cidr(prefix: IpPrefix, path: string): IpPrefix {
  const { prefixLength } = prefix;
  const invalid = (message: string) => new ApiError("ERR_INVALID_VALUE", { path, message });
  if (prefixLength < IPV6_PREFIX_LENGTH_MIN || prefixLength > IPV6_PREFIX_LENGTH_MAX)
    throw new ApiError("ERR_INVALID_CIDR_MASK_SIZE", {
      path,
      message: `the mask size must be between ${IPV6_PREFIX_LENGTH_MIN} and ${IPV6_PREFIX_LENGTH_MAX}`,
    });
  if (!isMasked(prefix)) throw invalid(BEYOND_MASK);
  if (!IPV6_RANGES.some((range) => ipPrefixContains(toPrefix(range), prefix)))
    throw invalid(`must be inside ${IPV6_RANGES.join(" or ")}`);
  return prefix;
}

/** Only version 2 certificates can contain IPv6 addresses. */
export function requireValidCidrs(certVersion: 1 | 2, requested: readonly RequestedCidr[]): NetworkCidrs {
  const cidrs: NetworkCidrs = { ipv4: undefined, ipv6: undefined };
  for (const { text, path } of requested) {
    const prefix = parseIpPrefix(text);
    if (certVersion === 1 || !prefix || isIpv4(prefix.address)) {
      if (cidrs.ipv4) throw new ApiError("ERR_NETWORK_ALREADY_HAS_IPV4_CIDR", { path });
      cidrs.ipv4 =
        certVersion === 1 ? requireVersion1Cidr({ text, path }, prefix) : requireEither(text, path);
    } else {
      if (cidrs.ipv6)
        throw new ApiError("ERR_INVALID_VALUE", { path, message: "a network has one IPv6 CIDR" });
      cidrs.ipv6 = requireIpv6Cidr(prefix, path);
    }
  }
  return cidrs;
}

function requireVersion1Cidr(requested: RequestedCidr, prefix: IpPrefix | undefined): IpPrefix {
  if (prefix && !isIpv4(prefix.address))
    throw new ApiError("ERR_INVALID_IPV4_CIDR", {
      path: requested.path,
      message: "an IPv6 CIDR requires certVersion 2",
    });
  return requireIpv4Cidr(requested);
}

function requireEither(text: string, path: string): IpPrefix {
  if (!parseCidr(text))
    throw new ApiError("ERR_INVALID_VALUE", {
      path,
      message: "must be an IPv4 or IPv6 network in CIDR form, such as 100.100.0.0/22 or fd12:3456:789a::/64",
    });
  return requireIpv4Cidr({ text, path });
}

export function requireNoOverlap(cidr: IpPrefix, taken: readonly IpPrefix[], path: string): void {
  if (taken.some((existing) => ipPrefixesOverlap(cidr, existing)))
    throw new ApiError("ERR_INVALID_VALUE", { path, message: "overlaps another network" });
}

/** The next free IPv4 range. */
export function chooseIpv4Cidr(taken: readonly string[]): IpPrefix {
  const blocks = taken.flatMap((text) => {
    const cidr = parseCidr(text);
    return cidr ? [cidr] : [];
  });
  for (const pool of DEFAULT_POOLS) {
    const within = parseCidr(pool);
    const free = within && nextFreeCidr({ within, prefixLength: DEFAULT_PREFIX_LENGTH, taken: blocks });
    if (free) return toIpPrefix(free);
  }
  throw new ApiError("ERR_LIMIT_EXCEEDED", { message: "no address space is left for another network" });
}

/** A random unique local range, as RFC 4193 requires, so that networks that are joined later don't overlap. */
export function chooseIpv6Cidr(): IpPrefix {
  const address = new Uint8Array(IPV6_LENGTH);
  address.set([ULA_FIRST_BYTE, ...randomBytes(ULA_RANDOM_BYTES)]);
  return { address, prefixLength: IPV6_DEFAULT_PREFIX_LENGTH };
}
