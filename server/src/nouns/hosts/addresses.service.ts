/**
 * Allocates the lowest free addresses, without the network address and the broadcast address. The cost doesn't grow
 * with the network: below the network's next address, every free address is in `free_addresses`; above it, few are
 * taken. The caller has locked the network.
 */
import { formatIp, type IpPrefix, ipToNumber, numberToIp, parseIp } from "@lightkeeper/nebula";
import { sql } from "kysely";
import type { Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { LockedNetwork, NextAddresses } from "../networks/revisions.service.ts";
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

/** Some of the freed addresses and of the addresses in use, each the lowest in a range. */
interface Batch {
  freed: bigint[];
  taken: bigint[];
}

interface BatchRanges {
  freed?: AddressRange;
  used?: AddressRange;
}

/** Reads both in one statement, because the network is locked meanwhile. */
async function readBatch(
  tx: Writer,
  space: AddressSpace,
  ranges: BatchRanges,
  limit: number,
): Promise<Batch> {
  const { column, networkID } = space;
  const inRange = (name: string, { first, last }: AddressRange) => sql`
    network_id = ${networkID} and ${sql.ref(name)} >= ${format(space, first)} and ${sql.ref(name)} <= ${format(space, last)}
    order by ${sql.ref(name)} limit ${limit}`;
  const parts = [
    ranges.freed &&
      sql`(select address, true as is_freed from free_addresses where ${inRange("address", ranges.freed)})`,
    ranges.used &&
      sql`(select ${sql.ref(column)} as address, false as is_freed from hosts where ${inRange(column, ranges.used)})`,
  ].filter((part) => part !== undefined);
  const { rows } = await sql<{ address: string; is_freed: boolean }>`
    select host(address) as address, is_freed from (${sql.join(parts, sql` union all `)}) batch order by batch.address`.execute(
    tx,
  );
  const addressesOf = (isFreed: boolean) =>
    rows.filter(({ is_freed }) => is_freed === isFreed).map(({ address }) => toNumber(address));
  return { freed: addressesOf(true), taken: addressesOf(false) };
}

/** The free addresses in a range, lowest first. */
async function* freeAddresses(
  tx: Writer,
  space: AddressSpace,
  range: AddressRange,
  batchSize: number,
): AsyncGenerator<bigint> {
  const { next } = space;
  const freed = { first: range.first, last: range.last < next ? range.last : next - 1n };
  const used = { first: range.first > next ? range.first : next, last: range.last };
  let batch = await readBatch(tx, space, { freed, used }, batchSize);
  const { taken } = batch;
  for (;;) {
    yield* batch.freed;
    const lastFreed = batch.freed.at(-1);
    if (lastFreed === undefined || batch.freed.length < batchSize) break;
    batch = await readBatch(tx, space, { freed: { ...freed, first: lastFreed + 1n } }, batchSize);
  }
  yield* unusedAddresses(tx, space, used, { taken, limit: batchSize });
}

/** The free addresses from the next address, lowest first. */
async function* unusedAddresses(
  tx: Writer,
  space: AddressSpace,
  { first, last }: AddressRange,
  firstBatch: { taken: bigint[]; limit: number },
): AsyncGenerator<bigint> {
  let { taken, limit } = firstBatch;
  for (let candidate = first; candidate <= last;) {
    const isTaken = new Set(taken);
    const lastRead = taken.length < limit ? last : (taken.at(-1) ?? last);
    for (; candidate <= lastRead; candidate++) if (!isTaken.has(candidate)) yield candidate;
    if (candidate > last) return;
    limit = Math.min(BATCH_SIZE_MAX, limit * 4);
    ({ taken } = await readBatch(tx, space, { used: { first: candidate, last } }, limit));
  }
}

interface Allocated {
  addresses: string[];
  /** The next address after them. */
  next: string;
}

/** Returns an address for each request, in order; throws for an address that is taken or outside the range. */
async function allocate(
  tx: Writer,
  space: AddressSpace,
  requests: readonly AddressRequest[],
): Promise<Allocated> {
  const ranges = requests.map((request) => requestedRange(space, space.family, request));
  const taken = await requireFreeAddresses(tx, space, requests, ranges);
  const batchSize = Math.min(BATCH_SIZE_MAX, requests.length + 1);
  const { next } = space;
  const freeIn = (range: AddressRange) => freeAddresses(tx, space, range, batchSize);
  const freeInNetwork = freeIn(space);
  const addresses: bigint[] = [];
  for (const [index, request] of requests.entries()) {
    const range = ranges[index] ?? space;
    const address = isSingleAddress(request)
      ? range.first
      : await takeFirstFree(request.address === undefined ? freeInNetwork : freeIn(range), taken);
    addresses.push(address);
  }
  const unrequested = addresses.filter((_, index) => requests[index]?.address === undefined);
  const newNext = unrequested.reduce(
    (highest, address) => (address < highest ? highest : address + 1n),
    next,
  );
  return { addresses: addresses.map((address) => format(space, address)), next: format(space, newNext) };
}

async function takeFirstFree(free: AsyncGenerator<bigint>, taken: Set<bigint>): Promise<bigint> {
  for (let next = await free.next(); !next.done; next = await free.next()) {
    if (taken.has(next.value)) continue;
    taken.add(next.value);
    return next.value;
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

export interface AllocatedAddresses {
  /** The addresses of each host, in order. */
  hosts: HostAddresses[];
  next: NextAddresses;
}

/** The caller stores the next addresses in the network. */
export async function allocateAddresses(
  tx: Writer,
  network: LockedNetwork,
  hosts: readonly (readonly AddressRequest[])[],
): Promise<AllocatedAddresses> {
  const requests = hosts.map((entries) => splitByFamily(network, entries));
  const allocateFamily = async (family: Family) => {
    const ofFamily = requests.flatMap((request) => request[family] ?? []);
    const allocated =
      ofFamily.length > 0 ? await allocate(tx, spaceOf(network, family), ofFamily) : undefined;
    const remaining = (allocated?.addresses ?? []).values();
    return {
      addresses: requests.map((request) => (request[family] ? (remaining.next().value ?? null) : null)),
      next: allocated?.next,
    };
  };
  const ipv4 = await allocateFamily("IPv4");
  const ipv6 = await allocateFamily("IPv6");
  return {
    hosts: requests.map((_, index) => {
      const ipv6_address = ipv6.addresses[index] ?? null;
      const ip_address = ipv4.addresses[index] ?? ipv6_address;
      if (ip_address === null) throw new Error("A host must have an address");
      return { ip_address, ipv6_address };
    }),
    next: {
      ...(ipv4.next !== undefined && { next_address: ipv4.next }),
      ...(ipv6.next !== undefined && { next_ipv6_address: ipv6.next }),
    },
  };
}
