/** Addresses and room for the hosts that are to be made, given out in their order. */
import { cidrContains, hostCapacity, parseCidr, parseIpv4 } from "@lightkeeper/nebula";
import type { Problem } from "./document.ts";
import type { World } from "./world.ts";
import type { ExistingNetwork } from "./world.queries.ts";

export interface Space {
  /** What is wrong with the address itself. */
  refuseAddress: (network: ExistingNetwork, address: string | undefined) => Problem[];
  /** Gives one more host its place, or says why there is none. */
  take: (network: ExistingNetwork, address: string | undefined) => Problem[];
}

const fault = (message: string): Problem => ({ code: "ERR_INVALID_VALUE", message, path: "ipAddress" });

function rangeOf({ id, cidr: text }: ExistingNetwork) {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`${id} has no IPv4 network`);
  return { cidr, capacity: hostCapacity(cidr) };
}

function refuseForeign(network: ExistingNetwork, address: string): Problem[] {
  const { cidr, capacity } = rangeOf(network);
  const number = parseIpv4(address);
  if (number === undefined) return [fault("must be an IPv4 address")];
  if (!cidrContains(cidr, { address: number, prefixLength: 32 }))
    return [fault(`must lie inside ${network.cidr}`)];
  return number === cidr.address || number === cidr.address + capacity + 1
    ? [fault("must not be the network's own address or its broadcast address")]
    : [];
}

export function createSpace({ isTaken, room, limit }: World): Space {
  const named = new Set<string>();
  const free = new Map<string, number>();
  let left = room;
  return {
    refuseAddress: (network, address) => {
      if (address === undefined) return [];
      if (isTaken(network.id, address) || named.has(`${network.id} ${address}`))
        return [{ code: "ERR_DUPLICATE_VALUE", message: "another host has this address", path: "ipAddress" }];
      return refuseForeign(network, address);
    },
    take: (network, address) => {
      const open = free.get(network.id) ?? rangeOf(network).capacity - network.host_count;
      if (left <= 0) return [{ code: "ERR_LIMIT_EXCEEDED", message: `the free plan ends at ${limit} hosts` }];
      if (open <= 0)
        return [{ code: "ERR_NETWORK_FULLY_ALLOCATED", message: "the network has no free address" }];
      left--;
      free.set(network.id, open - 1);
      if (address !== undefined) named.add(`${network.id} ${address}`);
      return [];
    },
  };
}
