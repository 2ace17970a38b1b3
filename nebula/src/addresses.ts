// IPv4 addresses are unsigned 32-bit numbers. Bitwise operators return signed numbers, hence every `>>> 0`. Sums can
// reach 2 ** 32 (the end of the last block), so they use plain arithmetic.

export interface Cidr {
  readonly address: number;
  readonly prefixLength: number;
}

export const PRIVATE_RANGES: readonly Cidr[] = [
  { address: 0x0a000000, prefixLength: 8 },
  { address: 0xac100000, prefixLength: 12 },
  { address: 0xc0a80000, prefixLength: 16 },
  { address: 0x64400000, prefixLength: 10 },
];

const DECIMAL = /^(?:0|[1-9]\d{0,2})$/;

export function parseIpv4(text: string): number | undefined {
  const octets = text.split(".");
  if (octets.length !== 4) return undefined;
  let address = 0;
  for (const octet of octets) {
    if (!DECIMAL.test(octet) || Number(octet) > 255) return undefined;
    address = address * 256 + Number(octet);
  }
  return address;
}

export function formatIpv4(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");
}

/** Also accepts a host address with its network's prefix length (100.100.0.29/22); `isAligned` detects it. */
export function parseCidr(text: string): Cidr | undefined {
  const [addressText = "", prefixText = "", ...rest] = text.split("/");
  const address = parseIpv4(addressText);
  if (address === undefined || rest.length > 0) return undefined;
  if (!DECIMAL.test(prefixText) || Number(prefixText) > 32) return undefined;
  return { address, prefixLength: Number(prefixText) };
}

export function formatCidr(cidr: Cidr): string {
  return `${formatIpv4(cidr.address)}/${cidr.prefixLength}`;
}

export function isCidr(cidr: Cidr): boolean {
  const { address, prefixLength } = cidr;
  return (
    address === address >>> 0 && Number.isInteger(prefixLength) && prefixLength >= 0 && prefixLength <= 32
  );
}

export function prefixLengthToMask(prefixLength: number): number {
  return 2 ** 32 - blockSize(prefixLength);
}

export function maskToPrefixLength(mask: number): number | undefined {
  const prefixLength = Math.clz32(~mask);
  return prefixLengthToMask(prefixLength) === mask ? prefixLength : undefined;
}

export function isAligned(cidr: Cidr): boolean {
  return cidr.address === networkAddress(cidr);
}

export function cidrContains(outer: Cidr, inner: Cidr): boolean {
  if (inner.prefixLength < outer.prefixLength) return false;
  return networkAddress(outer) === networkAddress({ ...inner, prefixLength: outer.prefixLength });
}

export function cidrsOverlap(a: Cidr, b: Cidr): boolean {
  return cidrContains(a, b) || cidrContains(b, a);
}

/** Number of addresses without the network and broadcast addresses. */
export function hostCapacity(cidr: Cidr): number {
  return Math.max(0, blockSize(cidr.prefixLength) - 2);
}

/** The lowest aligned block of this size that overlaps no taken block. */
export function nextFreeCidr(options: {
  within: Cidr;
  prefixLength: number;
  taken: readonly Cidr[];
}): Cidr | undefined {
  const { within, prefixLength, taken } = options;
  if (prefixLength < within.prefixLength || prefixLength > 32) return undefined;
  const size = blockSize(prefixLength);
  const blocks = taken.map(toBlock).sort((a, b) => a.start - b.start);
  const pool = toBlock(within);

  let candidate = pool.start;
  for (const block of blocks) {
    if (block.start >= candidate + size) break;
    if (block.end > candidate) candidate = Math.ceil(block.end / size) * size;
  }
  return candidate + size <= pool.end ? { address: candidate, prefixLength } : undefined;
}

function toBlock(cidr: Cidr): { start: number; end: number } {
  const start = networkAddress(cidr);
  return { start, end: start + blockSize(cidr.prefixLength) };
}

function networkAddress(cidr: Cidr): number {
  return (cidr.address & prefixLengthToMask(cidr.prefixLength)) >>> 0;
}

function blockSize(prefixLength: number): number {
  return 2 ** (32 - prefixLength);
}
