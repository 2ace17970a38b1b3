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

const PREFIX_LENGTH_MIN = 8;
const PREFIX_LENGTH_MAX = 30;

const capacity = (prefixLength: number) =>
  `${formatNumber(hostCapacity({ address: 0, prefixLength }))} addresses for hosts`;

/** What a network of this CIDR would be, while it is being typed. The server has the last word. */
export function describeCidr(text: string): string {
  const given = text.trim();
  if (given === "") return `Leave empty for the next free /22: ${capacity(22)}.`;
  const cidr = parseCidr(given);
  if (!cidr) return "A network is written like 100.100.0.0/22.";
  const { prefixLength } = cidr;
  if (prefixLength < PREFIX_LENGTH_MIN || prefixLength > PREFIX_LENGTH_MAX)
    return `The mask must be between /${PREFIX_LENGTH_MIN} and /${PREFIX_LENGTH_MAX}.`;
  const address = (cidr.address & prefixLengthToMask(prefixLength)) >>> 0;
  if (!isAligned(cidr)) return `That is an address inside ${formatCidr({ address, prefixLength })}.`;
  if (!PRIVATE_RANGES.some((range) => cidrContains(range, cidr)))
    return `It must lie inside ${PRIVATE_RANGES.map(formatCidr).join(", ")}.`;
  const last = address + hostCapacity(cidr);
  return `Holds ${capacity(prefixLength)}: ${formatIpv4(address + 1)} to ${formatIpv4(last)}.`;
}
