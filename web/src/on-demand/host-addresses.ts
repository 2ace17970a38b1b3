/** The addresses that a new host can have, by the ranges of its network. */
import {
  compareIps,
  formatIp,
  formatIpPrefix,
  type IpPrefix,
  ipPrefixContains,
  isIpv4,
  maskIpPrefix,
  parseIp,
  parseIpPrefix,
} from "@lightkeeper/nebula";
import { addressFamilyOf } from "../lib/address-family.ts";

/** The canonical form of an address or a range; the text itself if it is neither. */
export function canonicalAddress(text: string): string {
  const address = parseIp(text);
  if (address) return formatIp(address);
  const prefix = parseIpPrefix(text);
  return prefix ? formatIpPrefix(prefix) : text;
}

const toPrefix = (address: Uint8Array): IpPrefix => ({ address, prefixLength: address.length * 8 });

/** Whether the address is the start of a range with this prefix length. */
const isStart = ({ address, prefixLength }: IpPrefix) =>
  compareIps(maskIpPrefix({ address, prefixLength }).address, address) === 0;

/** The first address of a range belongs to no host, and neither does the last one of an IPv4 range. */
function isHostAddress(address: Uint8Array, { prefixLength }: IpPrefix): boolean {
  const inverted = address.map((byte) => ~byte & 0xff);
  const isLast = isStart({ address: inverted, prefixLength });
  return !isStart({ address, prefixLength }) && !(isIpv4(address) && isLast);
}

/** The problem with an address, or with a range that contains the address to assign. */
export function addressProblem(text: string, cidrs: readonly string[] | undefined): string | undefined {
  const address = parseIp(text);
  const prefix = address ? toPrefix(address) : parseIpPrefix(text);
  if (!prefix) return `${text} isn’t a valid IP address.`;
  if (!isStart(prefix))
    return `${text} isn’t the start of a range. Enter ${formatIpPrefix(maskIpPrefix(prefix))}, or an address.`;
  if (cidrs === undefined) return undefined;
  const family = addressFamilyOf(text);
  const cidr = cidrs.find((candidate) => addressFamilyOf(candidate) === family);
  const range = cidr === undefined ? undefined : parseIpPrefix(cidr);
  if (!range) return `${text} can’t be used: the network has no ${family} addresses.`;
  if (!address) return ipPrefixContains(range, prefix) ? undefined : `${text} isn’t inside ${cidr}.`;
  const isInside = ipPrefixContains(range, prefix) && isHostAddress(address, range);
  return isInside ? undefined : `${text} isn’t a host address in ${cidr}.`;
}
