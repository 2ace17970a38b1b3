/**
 * Allocates the lowest free addresses, without the network address and the broadcast address. The cost doesn't grow
 * with the network: below the network's next address, every free address is in `free_addresses`; above it, few are
 * taken. The caller has locked the network.
 */
import { formatIp, type IpPrefix, ipToNumber, numberToIp, parseIp } from "@lightkeeper/nebula";
import type { Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { type LockedNetwork, setNextAddress } from "../networks/revisions.service.ts";
import {
  type AddressRange,
  type AddressRequest,
  type Family,
  isSingleAddress,
  rangeOf,
  requestedRange,
  splitByFamily,
} from "./address-requests.ts";
import type { HostAddresses } from "./host-addresses.ts";

/** The addresses of one family in a network. */
interface AddressSpace extends AddressRange {
  networkID: string;
  family: Family;
  cidr: IpPrefix;
  next: bigint;
  /** The column of the hosts. */
  column: "ip_address" | "ipv6_address";
}

const BATCH_SIZE_MAX = 1000;

function toNumber(text: string | null): bigint {
  const address = parseIp(text ?? "");
  if (!address) throw new Error(`${text} is not an address`);
  return ipToNumber(address);
}

const format = ({ cidr }: AddressSpace, number: bigint) => formatIp(numberToIp(number, cidr.address.length));

const spaceOf = (network: LockedNetwork, family: Family): AddressSpace => ({
  networkID: network.id,
  family,
  ...rangeOf(network, family),
  next: toNumber(family === "IPv4" ? network.next_address : network.next_ipv6_address),
  column: family === "IPv4" ? "ip_address" : "ipv6_address",
});

/** The free addresses below the next address, lowest first. */
async function* freedAddresses(
  tx: Writer,
  space: AddressSpace,
  { first, last }: AddressRange,
  batchSize: number,
): AsyncGenerator<bigint> {
  for (let from = first; from <= last;) {
    const rows = await tx
      .selectFrom("free_addresses")
      .select("address")
      .where("network_id", "=", space.networkID)
      .where("address", ">=", format(space, from))
      .where("address", "<=", format(space, last))
      .orderBy("address")
      .limit(batchSize)
      .execute();
    const addresses = rows.map(({ address }) => toNumber(address));
    yield* addresses;
    from = addresses.length < batchSize ? last + 1n : (addresses.at(-1) ?? last) + 1n;
  }
}

/** The free addresses from the next address, lowest first. */
async function* unusedAddresses(
  tx: Writer,
  space: AddressSpace,
  { first, last }: AddressRange,
  batchSize: number,
): AsyncGenerator<bigint> {
  for (
    let candidate = first, limit = batchSize;
    candidate <= last;
    limit = Math.min(BATCH_SIZE_MAX, limit * 4)
  ) {
    const rows = await tx
      .selectFrom("hosts")
      .select(`${space.column} as address`)
      .where("network_id", "=", space.networkID)
      .where(space.column, ">=", format(space, candidate))
      .where(space.column, "<=", format(space, last))
      .orderBy(space.column)
      .limit(limit)
      .execute();
    const taken = rows.map(({ address }) => toNumber(address));
    const isTaken = new Set(taken);
    const lastRead = rows.length < limit ? last : (taken.at(-1) ?? last);
    for (; candidate <= lastRead; candidate++) if (!isTaken.has(candidate)) yield candidate;
  }
}

/** Returns an address for each request, in order; throws for an address that is taken or outside the range. */
async function allocate(
  tx: Writer,
  space: AddressSpace,
  requests: readonly AddressRequest[],
): Promise<string[]> {
  const ranges = requests.map((request) => requestedRange(space, space.family, request));
  const taken = await requireFreeAddresses(tx, space, requests, ranges);
  const batchSize = Math.min(BATCH_SIZE_MAX, requests.length + 1);
  const { next } = space;
  const sourcesOf = ({ first, last }: AddressRange) => [
    freedAddresses(tx, space, { first, last: last < next ? last : next - 1n }, batchSize),
    unusedAddresses(tx, space, { first: first > next ? first : next, last }, batchSize),
  ];
  const networkSources = sourcesOf(space);
  const addresses: bigint[] = [];
  for (const [index, request] of requests.entries()) {
    const range = ranges[index] ?? space;
    const address = isSingleAddress(request)
      ? range.first
      : await takeFirstFree(request.address === undefined ? networkSources : sourcesOf(range), taken);
    addresses.push(address);
  }
  const unrequested = addresses.filter((_, index) => requests[index]?.address === undefined);
  const newNext = unrequested.reduce(
    (highest, address) => (address < highest ? highest : address + 1n),
    next,
  );
  if (newNext !== next) await setNextAddress(tx, space.networkID, space.family, format(space, newNext));
  return addresses.map((address) => format(space, address));
}

async function takeFirstFree(sources: AsyncGenerator<bigint>[], taken: Set<bigint>): Promise<bigint> {
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
  space: AddressSpace,
  requests: readonly AddressRequest[],
  ranges: AddressRange[],
): Promise<Set<bigint>> {
  const requested = requests.flatMap((request, index) => {
    const address = ranges[index]?.first;
    return isSingleAddress(request) && address !== undefined ? [{ address, path: request.path }] : [];
  });
  if (requested.length === 0) return new Set();
  const rows = await tx
    .selectFrom("hosts")
    .select(`${space.column} as address`)
    .where("network_id", "=", space.networkID)
    .where(
      space.column,
      "in",
      requested.map(({ address }) => format(space, address)),
    )
    .execute();
  const taken = new Set(rows.map(({ address }) => toNumber(address)));
  for (const { address, path } of requested) {
    if (taken.has(address))
      throw new ApiError("ERR_DUPLICATE_VALUE", { ...(path !== undefined && { path }) });
    taken.add(address);
  }
  return taken;
}

/** Returns the addresses of each host, in order. */
export async function allocateAddresses(
  tx: Writer,
  network: LockedNetwork,
  hosts: readonly (readonly AddressRequest[])[],
): Promise<HostAddresses[]> {
  const requests = hosts.map((entries) => splitByFamily(network, entries));
  const allocateFamily = async (family: Family) => {
    const ofFamily = requests.flatMap((request) => request[family] ?? []);
    const addresses = ofFamily.length === 0 ? [] : await allocate(tx, spaceOf(network, family), ofFamily);
    const remaining = addresses.values();
    return requests.map((request) => (request[family] ? (remaining.next().value ?? null) : null));
  };
  const ipv4 = await allocateFamily("IPv4");
  const ipv6 = await allocateFamily("IPv6");
  return requests.map((_, index) => {
    const ipv6_address = ipv6[index] ?? null;
    const ip_address = ipv4[index] ?? ipv6_address;
    if (ip_address === null) throw new Error("A host must have an address");
    return { ip_address, ipv6_address };
  });
}
