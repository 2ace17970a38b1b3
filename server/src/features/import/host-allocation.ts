/** Reserves addresses and quota for new hosts, in the order of the file. */
import { hostCapacity, parseCidr } from "@lightkeeper/nebula";
import {
  type AddressRequest,
  isSingleAddress,
  requireValidAddresses,
} from "../../nouns/hosts/address-requests.ts";
import type { Problem } from "./document.ts";
import type { ExistingState } from "./existing-state.ts";
import type { ExistingNetwork } from "./existing-state.queries.ts";
import { collectProblems } from "./items.ts";
import { canonicalAddress } from "./requested-addresses.ts";

export interface HostAllocation {
  /** Returns problems of the addresses themselves. */
  validateAddresses: (network: ExistingNetwork, requests: readonly AddressRequest[]) => Problem[];
  /** Reserves addresses for one more host, or returns why there are none. */
  reserve: (network: ExistingNetwork, requests: readonly AddressRequest[]) => Problem[];
}

/** Only the IPv4 range of a network in which every host has such an address can be known to be full. */
function countFree({ cidr, ipv6_cidr, host_count }: ExistingNetwork): number {
  const range = ipv6_cidr === null && cidr !== null ? parseCidr(cidr) : undefined;
  return range ? hostCapacity(range) - host_count : Infinity;
}

const addressOf = ({ address = "" }: AddressRequest) => canonicalAddress(address) ?? address;

export function createHostAllocation({ isAddressTaken, hostQuota, limit }: ExistingState): HostAllocation {
  const reservedAddresses = new Set<string>();
  const freeCounts = new Map<string, number>();
  let hostsLeft = hostQuota;
  return {
    validateAddresses: (network, requests) => {
      const taken = requests.filter((request) => {
        const address = addressOf(request);
        return isAddressTaken(network.id, address) || reservedAddresses.has(`${network.id} ${address}`);
      });
      if (taken.length > 0)
        return taken.map(({ path = "ipAddress" }) => ({
          code: "ERR_DUPLICATE_VALUE",
          message: "another host has this address",
          path,
        }));
      const withPrefix = requests.find(({ address, path }) => path === "ipAddress" && address?.includes("/"));
      if (withPrefix)
        return [
          {
            code: "ERR_INVALID_VALUE",
            message: "must be an address; list prefixes in ipAddresses",
            path: "ipAddress",
          },
        ];
      return collectProblems(
        () => requireValidAddresses(network, requests),
        (path) => path,
      );
    },
    reserve: (network, requests) => {
      const freeCount = freeCounts.get(network.id) ?? countFree(network);
      if (hostsLeft <= 0)
        return [{ code: "ERR_LIMIT_EXCEEDED", message: `the Free plan is limited to ${limit} hosts` }];
      if (freeCount <= 0)
        return [{ code: "ERR_NETWORK_FULLY_ALLOCATED", message: "the network has no free address" }];
      hostsLeft--;
      freeCounts.set(network.id, freeCount - 1);
      for (const request of requests.filter(isSingleAddress))
        reservedAddresses.add(`${network.id} ${addressOf(request)}`);
      return [];
    },
  };
}
