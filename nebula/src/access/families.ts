// Address families. Two hosts can exchange packets of a family only if both have an address of it.

import { isIpv4, isIpv6Text } from "../ip-prefixes.ts";
import type { IpPrefix } from "../ip-prefixes.ts";
import type { AccessHost } from "./network.ts";

/** A set of families, as a bit mask. */
export type Families = number;

export const IPV4: Families = 1;
export const IPV6: Families = 2;
export const ALL_FAMILIES: Families = IPV4 | IPV6;

export const familyOf = (address: string): Families => (isIpv6Text(address) ? IPV6 : IPV4);

export const familyOfPrefix = ({ address }: IpPrefix): Families => (isIpv4(address) ? IPV4 : IPV6);

export function familiesOf({ addresses }: AccessHost): Families {
  let families = 0;
  for (const address of addresses) families |= familyOf(address);
  return families;
}

/** The addresses of the host to which the source can send packets. */
export function listCommonAddresses(source: AccessHost, host: AccessHost): string[] {
  const families = familiesOf(source);
  return host.addresses.filter((address) => (familyOf(address) & families) !== 0);
}
