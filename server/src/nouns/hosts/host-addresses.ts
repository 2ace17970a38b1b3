/** The addresses of a host: at most one IPv4 and one IPv6 address. */
import { sql } from "kysely";

export interface HostAddresses {
  /** IPv4 if the host has such an address, otherwise IPv6. */
  ip_address: string;
  ipv6_address: string | null;
}

/** IPv4 first. */
export const addressesOf = ({ ip_address, ipv6_address }: HostAddresses): string[] =>
  ipv6_address === null || ipv6_address === ip_address ? [ip_address] : [ip_address, ipv6_address];

/** The condition that a host has one of the addresses, which must be valid. */
export const hasAddress = (addresses: readonly string[]) =>
  sql<boolean>`(hosts.ip_address = any(${addresses}::inet[]) or hosts.ipv6_address = any(${addresses}::inet[]))`;
