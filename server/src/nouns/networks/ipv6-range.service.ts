/** The IPv6 range that a network gets while it is upgraded to version 2 certificates. */
import { sql } from "kysely";
import type { Writer } from "../../infrastructure/db/client.ts";

/** As in `searchTextOf`. */
const searchLine = sql`E'\n' || replace(host(hosts.ipv6_address), ':', 'C')`;

/** Adds the range, and an address for every host in the order of their IPv4 addresses. The caller has locked the network. */
export async function addIpv6Addresses(tx: Writer, networkID: string, cidr: string): Promise<void> {
  await sql`
    update hosts set ipv6_address = set_masklen(${cidr}::inet, 128) + numbered.position
      from (select id, row_number() over (order by ip_address) as position from hosts where network_id = ${networkID}) numbered
      where hosts.id = numbered.id`.execute(tx);
  await sql`
    update hosts set search_text = search_text || ${searchLine} where network_id = ${networkID}`.execute(tx);
  await sql`
    update networks set ipv6_cidr = ${cidr},
      next_ipv6_address = set_masklen(${cidr}::inet, 128) + 1
        + (select count(*) from hosts where network_id = ${networkID})
      where id = ${networkID}`.execute(tx);
}

/** The caller has locked the network. */
export async function removeIpv6Addresses(tx: Writer, networkID: string): Promise<void> {
  await sql`
    update hosts set search_text = replace(search_text, ${searchLine}, ''), ipv6_address = null
      where network_id = ${networkID} and ipv6_address is not null`.execute(tx);
  await sql`
    delete from free_addresses where network_id = ${networkID} and family(address) = 6`.execute(tx);
  await sql`
    update networks set ipv6_cidr = null, next_ipv6_address = null where id = ${networkID}`.execute(tx);
}
