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
  formatIpv4,
  hostCapacity,
  ipPrefixContains,
  type IpPrefix,
  isAligned,
  isIpv4,
  maskIpPrefix,
  parseCidr,
  parseIpPrefix,
  prefixLengthToMask,
  PRIVATE_RANGES,
} from "@lightkeeper/nebula";
import { formatNumber } from "../lib/format.ts";

const capacity = (prefixLength: number) =>
  `${formatNumber(hostCapacity({ address: 0, prefixLength }))} host addresses`;

const prefixLengthProblem = (prefixLength: number, min: number, max: number) =>
  prefixLength < min || prefixLength > max ? `Enter a prefix length from /${min} to /${max}.` : undefined;

/** Describes an IPv4 CIDR while it is typed, or what is wrong with it. The server validates it again. */
export function describeCidr(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return `Leave empty to use the next free /22 (${capacity(22)}).`;
  const cidr = parseCidr(trimmed);
  if (!cidr) return "Enter a range such as 100.100.0.0/22.";
  const { prefixLength } = cidr;
  const problem = prefixLengthProblem(prefixLength, PREFIX_LENGTH_MIN, PREFIX_LENGTH_MAX);
  if (problem) return problem;
  const address = (cidr.address & prefixLengthToMask(prefixLength)) >>> 0;
  if (!isAligned(cidr)) return `Enter the start of the range: ${formatCidr({ address, prefixLength })}.`;
  if (!PRIVATE_RANGES.some((range) => cidrContains(range, cidr)))
    return `Enter a range inside ${PRIVATE_RANGES.map(formatCidr).join(", ")}.`;
  const last = address + hostCapacity(cidr);
  return `${capacity(prefixLength)}, ${formatIpv4(address + 1)} to ${formatIpv4(last)}.`;
}

const IPV6_RANGES = ["fc00::/7", "2000::/3"];
const ONE_TRILLION_BITS = 40;
const roundedNumbers = new Intl.NumberFormat("en", {
  notation: "compact",
  compactDisplay: "long",
  maximumSignificantDigits: 2,
});

function ipv6Capacity(prefixLength: number): string {
  const bits = 128 - prefixLength;
  if (bits >= ONE_TRILLION_BITS) return "More than a trillion host addresses";
  return `About ${roundedNumbers.format(2 ** bits)} host addresses`;
}

const firstHost = ({ address }: IpPrefix) => address.with(address.length - 1, 1);

/** Sets the bits after the prefix. */
const lastHost = (prefix: IpPrefix) => {
  const mask = maskIpPrefix({ ...prefix, address: prefix.address.map(() => 0xff) }).address;
  return prefix.address.map((byte, index) => byte | (~(mask[index] ?? 0) & 0xff));
};

const isInside = (range: string, prefix: IpPrefix) => {
  const outer = parseIpPrefix(range);
  return outer !== undefined && ipPrefixContains(outer, prefix);
};

/** The same for an IPv6 CIDR. */
export function describeIpv6Cidr(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "Leave empty to use a random private /64 (more than a trillion host addresses).";
  const prefix = parseIpPrefix(trimmed);
  if (!prefix || isIpv4(prefix.address)) return "Enter an IPv6 range such as fd12:3456:789a::/64.";
  const problem = prefixLengthProblem(prefix.prefixLength, IPV6_PREFIX_LENGTH_MIN, IPV6_PREFIX_LENGTH_MAX);
  if (problem) return problem;
  const start = maskIpPrefix(prefix);
  if (formatIp(start.address) !== formatIp(prefix.address))
    return `Enter the start of the range: ${formatIpPrefix(start)}.`;
  if (!IPV6_RANGES.some((range) => isInside(range, prefix)))
    return `Enter a range inside ${IPV6_RANGES.join(" (private) or ")} (public).`;
  return `${ipv6Capacity(prefix.prefixLength)}, ${formatIp(firstHost(prefix))} to ${formatIp(lastHost(prefix))}.`;
}
