/** The addresses of a host in a file: one in `ipAddress`, or several in `ipAddresses`. */
import { formatIp, ipPrefixContains, parseIp, parseIpPrefix } from "@lightkeeper/nebula";
import type { AddressRequest } from "../../nouns/hosts/address-requests.ts";
import { addressesOf, type HostAddresses } from "../../nouns/hosts/host-addresses.ts";
import type { Item } from "./items.ts";

type Addresses = Pick<Item<"host">["value"], "ipAddress" | "ipAddresses">;

export const requestedAddresses = ({ ipAddress, ipAddresses = [] }: Addresses): AddressRequest[] => [
  ...(ipAddress === undefined ? [] : [{ address: ipAddress, path: "ipAddress" }]),
  ...ipAddresses.map((address, index) => ({ address, path: `ipAddresses[${index}]` })),
];

/** Undefined for a prefix or for text that is no address. */
export function canonicalAddress(text: string): string | undefined {
  const address = parseIp(text);
  return address && formatIp(address);
}

/** Whether the host has the address, or one of the prefix. */
export function hasRequestedAddress(
  existing: HostAddresses,
  { address: text = "" }: AddressRequest,
): boolean {
  const prefix = parseIpPrefix(text);
  if (!prefix) return addressesOf(existing).includes(canonicalAddress(text) ?? text);
  return addressesOf(existing).some((each) => {
    const address = parseIp(each);
    return address && ipPrefixContains(prefix, { address, prefixLength: address.length * 8 });
  });
}
