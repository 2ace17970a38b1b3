import type { HostV2 } from "@lightkeeper/contract";
import { addressFamilyOf } from "../lib/address-family.ts";

/** The first address by which the other host can reach this one: both need an address of the same family. */
export function addressToReach({ ipAddresses }: HostV2, from: HostV2): string {
  const families = new Set(from.ipAddresses.map(addressFamilyOf));
  return ipAddresses.find((address) => families.has(addressFamilyOf(address))) ?? ipAddresses[0] ?? "";
}
