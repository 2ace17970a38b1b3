/** Reserves addresses and quota for new hosts, in the order of the file. */
import { cidrContains, hostCapacity, parseCidr, parseIpv4 } from "@lightkeeper/nebula";
import type { Problem } from "./document.ts";
import type { ExistingState } from "./existing-state.ts";
import type { ExistingNetwork } from "./existing-state.queries.ts";

export interface HostAllocation {
  /** Returns problems of the address itself. */
  validateAddress: (network: ExistingNetwork, address: string | undefined) => Problem[];
  /** Reserves an address for one more host, or returns why there is none. */
  reserve: (network: ExistingNetwork, address: string | undefined) => Problem[];
}

const addressProblem = (message: string): Problem => ({
  code: "ERR_INVALID_VALUE",
  message,
  path: "ipAddress",
});

function rangeOf({ id, cidr: text }: ExistingNetwork) {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`${id} has no IPv4 network`);
  return { cidr, capacity: hostCapacity(cidr) };
}

function validateRange(network: ExistingNetwork, address: string): Problem[] {
  const { cidr, capacity } = rangeOf(network);
  const number = parseIpv4(address);
  if (number === undefined) return [addressProblem("must be an IPv4 address")];
  if (!cidrContains(cidr, { address: number, prefixLength: 32 }))
    return [addressProblem(`must be inside ${network.cidr}`)];
  return number === cidr.address || number === cidr.address + capacity + 1
    ? [addressProblem("must not be the network address or the broadcast address")]
    : [];
}

export function createHostAllocation({ isAddressTaken, hostQuota, limit }: ExistingState): HostAllocation {
  const reservedAddresses = new Set<string>();
  const freeCounts = new Map<string, number>();
  let hostsLeft = hostQuota;
  return {
    validateAddress: (network, address) => {
      if (address === undefined) return [];
      if (isAddressTaken(network.id, address) || reservedAddresses.has(`${network.id} ${address}`))
        return [{ code: "ERR_DUPLICATE_VALUE", message: "another host has this address", path: "ipAddress" }];
      return validateRange(network, address);
    },
    reserve: (network, address) => {
      const freeCount = freeCounts.get(network.id) ?? rangeOf(network).capacity - network.host_count;
      if (hostsLeft <= 0)
        return [{ code: "ERR_LIMIT_EXCEEDED", message: `the Free plan is limited to ${limit} hosts` }];
      if (freeCount <= 0)
        return [{ code: "ERR_NETWORK_FULLY_ALLOCATED", message: "the network has no free address" }];
      hostsLeft--;
      freeCounts.set(network.id, freeCount - 1);
      if (address !== undefined) reservedAddresses.add(`${network.id} ${address}`);
      return [];
    },
  };
}
