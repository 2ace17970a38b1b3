import { PREFIX_LENGTH_MAX, PREFIX_LENGTH_MIN } from "@lightkeeper/contract/limits";
import {
  cidrContains,
  formatCidr,
  formatIpv4,
  hostCapacity,
  isAligned,
  parseCidr,
  prefixLengthToMask,
  PRIVATE_RANGES,
} from "@lightkeeper/nebula";
import { formatNumber } from "../lib/format.ts";

const capacity = (prefixLength: number) =>
  `${formatNumber(hostCapacity({ address: 0, prefixLength }))} host addresses`;

/** Describes a CIDR while it is typed, or what is wrong with it. The server validates it again. */
export function describeCidr(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return `Leave empty to use the next free /22 (${capacity(22)}).`;
  const cidr = parseCidr(trimmed);
  if (!cidr) return "Enter a range such as 100.100.0.0/22.";
  const { prefixLength } = cidr;
  if (prefixLength < PREFIX_LENGTH_MIN || prefixLength > PREFIX_LENGTH_MAX)
    return `Enter a prefix length from /${PREFIX_LENGTH_MIN} to /${PREFIX_LENGTH_MAX}.`;
  const address = (cidr.address & prefixLengthToMask(prefixLength)) >>> 0;
  if (!isAligned(cidr)) return `Enter the start of the range: ${formatCidr({ address, prefixLength })}.`;
  if (!PRIVATE_RANGES.some((range) => cidrContains(range, cidr)))
    return `Enter a range inside ${PRIVATE_RANGES.map(formatCidr).join(", ")}.`;
  const last = address + hostCapacity(cidr);
  return `${capacity(prefixLength)}, ${formatIpv4(address + 1)} to ${formatIpv4(last)}.`;
}
