import { addressFamilyOf } from "../lib/address-family.ts";

/** The range of a network with IPv4 and IPv6 from which a host gets an IPv4 address only on request. */
export function optionalIpv4Range(cidrs: readonly string[]): string | undefined {
  return cidrs.length > 1 ? cidrs.find((cidr) => addressFamilyOf(cidr) === "IPv4") : undefined;
}
