/**
 * Allocates the lowest free addresses, without the network address and the broadcast address. The cost doesn't grow
 * with the network: below `next_address`, every free address is in `free_addresses`; above it, few are taken. The
 * caller has locked the network.
 */
import { cidrContains, formatIpv4, hostCapacity, isAligned, parseCidr, parseIpv4 } from "@lightkeeper/nebula";
import type { Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { type LockedNetwork, setNextAddress } from "../networks/revisions.service.ts";

interface Range {
  first: number;
  last: number;
}

interface AddressRequest {
  /** An address, a prefix to allocate from, or undefined for any address. */
  address: string | undefined;
  path: string | undefined;
}

const invalidAddress = (path: string | undefined, message: string) =>
  new ApiError("ERR_INVALID_VALUE", { ...(path !== undefined && { path }), message });

function rangeOf(network: LockedNetwork): Range {
  const cidr = parseCidr(network.cidr);
  if (!cidr) throw new Error(`${network.id} has no IPv4 network`);
  return { first: cidr.address + 1, last: cidr.address + hostCapacity(cidr) };
}

function toNumber(address: string): number {
  const number = parseIpv4(address);
  if (number === undefined) throw new Error(`${address} is not an address`);
  return number;
}

/** The addresses that the request allows: one for an address, several for a prefix. */
function requestedRange(network: LockedNetwork, { address: requested, path }: AddressRequest): Range {
  const range = rangeOf(network);
  if (requested === undefined) return range;
  const outside = () => invalidAddress(path, `must be inside ${network.cidr}`);
  if (requested.includes("/")) {
    const prefix = parseCidr(requested);
    const cidr = parseCidr(network.cidr);
    if (!prefix || !isAligned(prefix)) throw invalidAddress(path, "must be an IPv4 address or prefix");
    if (!cidr || !cidrContains(cidr, prefix)) throw outside();
    const size = 2 ** (32 - prefix.prefixLength);
    return {
      first: Math.max(range.first, prefix.address),
      last: Math.min(range.last, prefix.address + size - 1),
    };
  }
  const address = parseIpv4(requested);
  if (address === undefined) throw invalidAddress(path, "must be an IPv4 address or prefix");
  if (address === range.first - 1 || address === range.last + 1)
    throw invalidAddress(path, "must not be the network address or the broadcast address");
  if (address < range.first || address > range.last) throw outside();
  return { first: address, last: address };
}

const isSingleAddress = ({ address }: AddressRequest) => address !== undefined && !address.includes("/");

const BATCH_SIZE_MAX = 1000;

/** The free addresses below `next_address`, lowest first. */
async function* freedAddresses(
  tx: Writer,
  network: LockedNetwork,
  { first, last }: Range,
  batchSize: number,
): AsyncGenerator<number> {
  for (let from = first; from <= last;) {
    const rows = await tx
      .selectFrom("free_addresses")
      .select("address")
      .where("network_id", "=", network.id)
      .where("address", ">=", formatIpv4(from))
      .where("address", "<=", formatIpv4(last))
      .orderBy("address")
      .limit(batchSize)
      .execute();
    const addresses = rows.map(({ address }) => toNumber(address));
    yield* addresses;
    from = addresses.length < batchSize ? last + 1 : (addresses.at(-1) ?? last) + 1;
  }
}

/** The free addresses from `next_address`, lowest first. */
async function* unusedAddresses(
  tx: Writer,
  network: LockedNetwork,
  { first, last }: Range,
  batchSize: number,
): AsyncGenerator<number> {
  for (
    let candidate = first, limit = batchSize;
    candidate <= last;
    limit = Math.min(BATCH_SIZE_MAX, limit * 4)
  ) {
    const rows = await tx
      .selectFrom("hosts")
      .select("ip_address")
      .where("network_id", "=", network.id)
      .where("ip_address", ">=", formatIpv4(candidate))
      .where("ip_address", "<=", formatIpv4(last))
      .orderBy("ip_address")
      .limit(limit)
      .execute();
    const taken = new Set(rows.map((row) => toNumber(row.ip_address)));
    const lastRead = rows.length < limit ? last : toNumber(rows.at(-1)?.ip_address ?? "");
    for (; candidate <= lastRead; candidate++) if (!taken.has(candidate)) yield candidate;
  }
}

/** Returns an address for each request, in order; throws for an address that is taken or outside the network. */
export async function allocateAddresses(
  tx: Writer,
  network: LockedNetwork,
  requests: readonly AddressRequest[],
): Promise<string[]> {
  const ranges = requests.map((request) => requestedRange(network, request));
  const taken = await requireFreeAddresses(tx, network, requests, ranges);
  const batchSize = Math.min(BATCH_SIZE_MAX, requests.length + 1);
  const next = toNumber(network.next_address);
  const sourcesOf = ({ first, last }: Range) => [
    freedAddresses(tx, network, { first, last: Math.min(last, next - 1) }, batchSize),
    unusedAddresses(tx, network, { first: Math.max(first, next), last }, batchSize),
  ];
  const networkSources = sourcesOf(rangeOf(network));
  const addresses: number[] = [];
  for (const [index, request] of requests.entries()) {
    const range = ranges[index] ?? rangeOf(network);
    const address = isSingleAddress(request)
      ? range.first
      : await takeFirstFree(request.address === undefined ? networkSources : sourcesOf(range), taken);
    addresses.push(address);
  }
  const unrequested = addresses.filter((_, index) => requests[index]?.address === undefined);
  const nextAddress = formatIpv4(Math.max(next, ...unrequested.map((address) => address + 1)));
  if (nextAddress !== network.next_address) await setNextAddress(tx, network.id, nextAddress);
  return addresses.map(formatIpv4);
}

async function takeFirstFree(sources: AsyncGenerator<number>[], taken: Set<number>): Promise<number> {
  for (const source of sources) {
    for (let next = await source.next(); !next.done; next = await source.next()) {
      if (taken.has(next.value)) continue;
      taken.add(next.value);
      return next.value;
    }
  }
  throw new ApiError("ERR_NETWORK_FULLY_ALLOCATED");
}

/** Each requested single address must be free and requested only once. */
async function requireFreeAddresses(
  tx: Writer,
  network: LockedNetwork,
  requests: readonly AddressRequest[],
  ranges: Range[],
): Promise<Set<number>> {
  const requested = requests.flatMap((request, index) => {
    const address = ranges[index]?.first;
    return isSingleAddress(request) && address !== undefined ? [{ address, path: request.path }] : [];
  });
  if (requested.length === 0) return new Set();
  const rows = await tx
    .selectFrom("hosts")
    .select("ip_address")
    .where("network_id", "=", network.id)
    .where(
      "ip_address",
      "in",
      requested.map(({ address }) => formatIpv4(address)),
    )
    .execute();
  const taken = new Set(rows.map((row) => toNumber(row.ip_address)));
  for (const { address, path } of requested) {
    if (taken.has(address))
      throw new ApiError("ERR_DUPLICATE_VALUE", { ...(path !== undefined && { path }) });
    taken.add(address);
  }
  return taken;
}
