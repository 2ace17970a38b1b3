// IPv4 and IPv6 addresses and networks as 4 or 16 bytes, for version 2 certificates and configurations. IPv4-mapped IPv6
// addresses (::ffff:1.2.3.4) and zones are rejected, as Nebula does.

import { formatIpv4, parseIpv4 } from "./addresses.ts";
import type { Cidr } from "./addresses.ts";

export interface IpPrefix {
  readonly address: Uint8Array;
  readonly prefixLength: number;
}

const IPV4_LENGTH = 4;
const IPV6_LENGTH = 16;
const IPV6_GROUPS = 8;
const HEXADECIMAL_GROUP = /^[0-9a-f]{1,4}$/i;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;

export function parseIp(text: string): Uint8Array | undefined {
  if (isIpv6Text(text)) return parseIpv6(text);
  const address = parseIpv4(text);
  return address === undefined ? undefined : fromIpv4(address);
}

/** In the canonical form of RFC 5952, which Go uses too. */
export function formatIp(address: Uint8Array): string {
  if (address.length === IPV4_LENGTH) return formatIpv4(new DataView(address.slice().buffer).getUint32(0));
  const groups = toGroups(address).map((group) => group.toString(16));
  const zeros = longestZeros(groups);
  if (zeros === undefined) return groups.join(":");
  return `${groups.slice(0, zeros.start).join(":")}::${groups.slice(zeros.end).join(":")}`;
}

/** Also accepts a host address with its network's prefix length (fd00::1d/64), as in certificates. */
export function parseIpPrefix(text: string): IpPrefix | undefined {
  const [addressText = "", lengthText = "", ...rest] = text.split("/");
  const address = parseIp(addressText);
  if (address === undefined || rest.length > 0 || !PREFIX_LENGTH.test(lengthText)) return undefined;
  const prefix = { address, prefixLength: Number(lengthText) };
  return isIpPrefix(prefix) ? prefix : undefined;
}

export function formatIpPrefix(prefix: IpPrefix): string {
  return `${formatIp(prefix.address)}/${prefix.prefixLength}`;
}

export function isIpPrefix({ address, prefixLength }: IpPrefix): boolean {
  if (address.length !== IPV4_LENGTH && address.length !== IPV6_LENGTH) return false;
  if (isIpv4InIpv6(address)) return false;
  return Number.isInteger(prefixLength) && prefixLength >= 0 && prefixLength <= address.length * 8;
}

/** Whether a valid address or prefix is IPv6. */
export const isIpv6Text = (text: string): boolean => text.includes(":");

export function isIpv4(address: Uint8Array): boolean {
  return address.length === IPV4_LENGTH;
}

export function isZeroAddress(address: Uint8Array): boolean {
  return address.every((byte) => byte === 0);
}

/** IPv4 first, then by address, then the shorter prefix: the order in certificates. */
export function compareIpPrefixes(a: IpPrefix, b: IpPrefix): number {
  return compareIps(a.address, b.address) || a.prefixLength - b.prefixLength;
}

export function compareIps(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return a.length - b.length;
  const index = a.findIndex((byte, position) => byte !== b[position]);
  return index === -1 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}

export function ipPrefixContains(outer: IpPrefix, inner: IpPrefix): boolean {
  if (outer.address.length !== inner.address.length || inner.prefixLength < outer.prefixLength) return false;
  const wholeBytes = outer.prefixLength >> 3;
  for (let index = 0; index < wholeBytes; index += 1) {
    if (outer.address[index] !== inner.address[index]) return false;
  }
  const shift = 8 - (outer.prefixLength & 7);
  return (
    shift === 8 || (outer.address[wholeBytes] ?? 0) >> shift === (inner.address[wholeBytes] ?? 0) >> shift
  );
}

export function toIpPrefix({ address, prefixLength }: Cidr): IpPrefix {
  return { address: fromIpv4(address), prefixLength };
}

/** For arithmetic with addresses of both families. */
export function ipToNumber(address: Uint8Array): bigint {
  return address.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

export function numberToIp(number: bigint, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) =>
    Number((number >> BigInt(8 * (length - 1 - index))) & 0xffn),
  );
}

/** Whether no bits are set after the prefix. */
export function isMasked(prefix: IpPrefix): boolean {
  return compareIps(prefix.address, maskIpPrefix(prefix).address) === 0;
}

export function ipPrefixesOverlap(a: IpPrefix, b: IpPrefix): boolean {
  return ipPrefixContains(a, b) || ipPrefixContains(b, a);
}

/** Clears the bits after the prefix. */
export function maskIpPrefix({ address, prefixLength }: IpPrefix): IpPrefix {
  const masked = address.map((byte, index) => {
    const networkBits = Math.min(8, Math.max(0, prefixLength - index * 8));
    return byte & (0xff00 >> networkBits);
  });
  return { address: masked, prefixLength };
}

function fromIpv4(address: number): Uint8Array {
  return Uint8Array.of(address >>> 24, (address >>> 16) & 255, (address >>> 8) & 255, address & 255);
}

function parseIpv6(text: string): Uint8Array | undefined {
  const halves = text.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const [left = [], right = []] = halves;
  const missing = IPV6_GROUPS - left.length - right.length;
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return undefined;
  const groups = [...left, ...Array.from({ length: missing }, () => "0"), ...right];
  if (!groups.every((group) => HEXADECIMAL_GROUP.test(group))) return undefined;
  const address = Uint8Array.from(groups.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16)]));
  return isIpv4InIpv6(address) ? undefined : address;
}

function isIpv4InIpv6(address: Uint8Array): boolean {
  if (address.length !== IPV6_LENGTH || address[10] !== 0xff || address[11] !== 0xff) return false;
  return isZeroAddress(address.subarray(0, 10));
}

function toGroups(address: Uint8Array): number[] {
  return Array.from(
    { length: IPV6_GROUPS },
    (_, index) => (address[index * 2] ?? 0) * 256 + (address[index * 2 + 1] ?? 0),
  );
}

function longestZeros(groups: readonly string[]): { start: number; end: number } | undefined {
  let longest = { start: 0, end: 1 };
  for (let start = 0; start < groups.length; start += 1) {
    let end = start;
    while (groups[end] === "0") end += 1;
    if (end - start > longest.end - longest.start) longest = { start, end };
  }
  return longest.end - longest.start > 1 ? longest : undefined;
}
