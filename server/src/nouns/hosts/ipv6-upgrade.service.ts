/** The IPv6 addresses that hosts get while their network is upgraded to version 2 certificates. */
import { sql } from "kysely";
import type { Writer } from "../../infrastructure/db/client.ts";

/** As in `searchTextOf`. */
const searchLine = sql`E'\n' || replace(host(hosts.ipv6_address), ':', 'C')`;

/** Assigns the first addresses of the range, in the order of the IPv4 addresses. The caller has locked the network. */
export async function assignIpv6Addresses(tx: Writer, networkID: string, cidr: string): Promise<void> {
  await sql`
    update hosts set ipv6_address = set_masklen(${cidr}::inet, 128) + numbered.position
      from (
        select id, row_number() over (order by ip_address) as position from hosts where network_id = ${networkID}
      ) numbered
      where hosts.id = numbered.id`.execute(tx);
  await sql`
    update hosts set search_text = search_text || ${searchLine} where network_id = ${networkID}`.execute(tx);
}

/** The caller has locked the network. */
export async function removeIpv6Addresses(tx: Writer, networkID: string): Promise<void> {
  await sql`
    update hosts set search_text = replace(search_text, ${searchLine}, ''), ipv6_address = null
      where network_id = ${networkID} and ipv6_address is not null`.execute(tx);
}
