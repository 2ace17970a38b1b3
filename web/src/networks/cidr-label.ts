import { addressFamilyOf } from "../lib/address-family.ts";

/** "CIDR", with its family if the network has two. */
export const cidrLabel = (cidr: string, cidrs: readonly string[]) =>
  cidrs.length > 1 ? `${addressFamilyOf(cidr)} CIDR` : "CIDR";
