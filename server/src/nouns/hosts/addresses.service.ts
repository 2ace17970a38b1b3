/**
 * Gives addresses out: the lowest free one, never the network's own nor its broadcast. The cost does not grow
 * with the network: below `next_address` every free address stands in `free_addresses`, above it the taken ones
 * are few. The caller holds the network.
 */
import { cidrContains, formatIpv4, hostCapacity, isAligned, parseCidr, parseIpv4 } from "@lightkeeper/nebula";
import type { Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { type LockedNetwork, setNextAddress } from "../networks/revisions.service.ts";

interface Range {
  first: number;
  last: number;
}

interface Asked {
  /** An address, a prefix to take one from, or nothing. */
  wanted: string | undefined;
  path: string | undefined;
}

const refuse = (path: string | undefined, message: string) =>
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

/** What was asked for as the addresses it leaves open; one is an address, more are a prefix. */
function openTo(network: LockedNetwork, { wanted, path }: Asked): Range {
  const whole = rangeOf(network);
  if (wanted === undefined) return whole;
  const within = `must be inside ${network.cidr}`;
  if (wanted.includes("/")) {
    const prefix = parseCidr(wanted);
    const cidr = parseCidr(network.cidr);
    if (!prefix || !isAligned(prefix)) throw refuse(path, "must be an IPv4 address or prefix");
    if (!cidr || !cidrContains(cidr, prefix)) throw refuse(path, within);
    const size = 2 ** (32 - prefix.prefixLength);
    return {
      first: Math.max(whole.first, prefix.address),
      last: Math.min(whole.last, prefix.address + size - 1),
    };
  }
  const address = parseIpv4(wanted);
  if (address === undefined) throw refuse(path, "must be an IPv4 address or prefix");
  if (address === whole.first - 1 || address === whole.last + 1)
    throw refuse(path, "must not be the network's own address or its broadcast address");
  if (address < whole.first || address > whole.last) throw refuse(path, within);
  return { first: address, last: address };
}

const isOne = ({ wanted }: Asked) => wanted !== undefined && !wanted.includes("/");

const HANDFUL_MAX = 1000;

/** What was given back between two addresses, lowest first. */
async function* givenBack(
  tx: Writer,
  network: LockedNetwork,
  { first, last }: Range,
  handful: number,
): AsyncGenerator<number> {
  for (let from = first; from <= last;) {
    const rows = await tx
      .selectFrom("free_addresses")
      .select("address")
      .where("network_id", "=", network.id)
      .where("address", ">=", formatIpv4(from))
      .where("address", "<=", formatIpv4(last))
      .orderBy("address")
      .limit(handful)
      .execute();
    const free = rows.map(({ address }) => toNumber(address));
    yield* free;
    from = free.length < handful ? last + 1 : (free.at(-1) ?? last) + 1;
  }
}

/** What no host has between two addresses, lowest first. */
async function* unoccupied(
  tx: Writer,
  network: LockedNetwork,
  { first, last }: Range,
  handful: number,
): AsyncGenerator<number> {
  for (let candidate = first, limit = handful; candidate <= last; limit = Math.min(HANDFUL_MAX, limit * 4)) {
    const rows = await tx
      .selectFrom("hosts")
      .select("ip_address")
      .where("network_id", "=", network.id)
      .where("ip_address", ">=", formatIpv4(candidate))
      .where("ip_address", "<=", formatIpv4(last))
      .orderBy("ip_address")
      .limit(limit)
      .execute();
    const occupied = new Set(rows.map((row) => toNumber(row.ip_address)));
    const known = rows.length < limit ? last : toNumber(rows.at(-1)?.ip_address ?? "");
    for (; candidate <= known; candidate++) if (!occupied.has(candidate)) yield candidate;
  }
}

/** An address for each that asks, in their order; refuses what is taken, foreign or not to be had. */
export async function allocateAddresses(
  tx: Writer,
  network: LockedNetwork,
  asked: readonly Asked[],
): Promise<string[]> {
  const ranges = asked.map((one) => openTo(network, one));
  const taken = await takeNamed(tx, network, asked, ranges);
  const handful = Math.min(HANDFUL_MAX, asked.length + 1);
  const next = toNumber(network.next_address);
  const sourcesOf = ({ first, last }: Range) => [
    givenBack(tx, network, { first, last: Math.min(last, next - 1) }, handful),
    unoccupied(tx, network, { first: Math.max(first, next), last }, handful),
  ];
  const ofWhole = sourcesOf(rangeOf(network));
  const addresses: number[] = [];
  for (const [index, one] of asked.entries()) {
    const range = ranges[index] ?? rangeOf(network);
    const address = isOne(one)
      ? range.first
      : await firstFree(one.wanted === undefined ? ofWhole : sourcesOf(range), taken);
    addresses.push(address);
  }
  const anywhere = addresses.filter((_, index) => asked[index]?.wanted === undefined);
  const nextAddress = formatIpv4(Math.max(next, ...anywhere.map((address) => address + 1)));
  if (nextAddress !== network.next_address) await setNextAddress(tx, network.id, nextAddress);
  return addresses.map(formatIpv4);
}

async function firstFree(sources: AsyncGenerator<number>[], taken: Set<number>): Promise<number> {
  for (const source of sources) {
    for (let one = await source.next(); !one.done; one = await source.next()) {
      if (taken.has(one.value)) continue;
      taken.add(one.value);
      return one.value;
    }
  }
  throw new ApiError("ERR_NETWORK_FULLY_ALLOCATED");
}

/** The addresses asked for by name: each free, and asked for once. */
async function takeNamed(
  tx: Writer,
  network: LockedNetwork,
  asked: readonly Asked[],
  ranges: Range[],
): Promise<Set<number>> {
  const named = asked.flatMap((one, index) => {
    const address = ranges[index]?.first;
    return isOne(one) && address !== undefined ? [{ address, path: one.path }] : [];
  });
  if (named.length === 0) return new Set();
  const rows = await tx
    .selectFrom("hosts")
    .select("ip_address")
    .where("network_id", "=", network.id)
    .where(
      "ip_address",
      "in",
      named.map(({ address }) => formatIpv4(address)),
    )
    .execute();
  const taken = new Set(rows.map((row) => toNumber(row.ip_address)));
  for (const { address, path } of named) {
    if (taken.has(address))
      throw new ApiError("ERR_DUPLICATE_VALUE", { ...(path !== undefined && { path }) });
    taken.add(address);
  }
  return taken;
}
