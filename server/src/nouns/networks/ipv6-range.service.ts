/** The IPv6 range that a network gets while it is upgraded to version 2 certificates. */
import { sql } from "kysely";
import type { Writer } from "../../infrastructure/db/client.ts";

/** The caller has locked the network, and each of its hosts has one of the first addresses of the range. */
export async function addIpv6Range(tx: Writer, networkID: string, cidr: string): Promise<void> {
  await sql`
    update networks set ipv6_cidr = ${cidr},
      next_ipv6_address = set_masklen(${cidr}::inet, 128) + 1
        + (select count(*) from hosts where network_id = networks.id)
      where id = ${networkID}`.execute(tx);
}

/** The caller has locked the network, and no host has an address of the range. */
export async function removeIpv6Range(tx: Writer, networkID: string): Promise<void> {
  await sql`
    delete from free_addresses where network_id = ${networkID} and family(address) = 6`.execute(tx);
  await sql`
    update networks set ipv6_cidr = null, next_ipv6_address = null where id = ${networkID}`.execute(tx);
}
