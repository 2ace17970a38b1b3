import { type Selectable, sql } from "kysely";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { countRows, oldestFirst, type Page, page, type PageRequest } from "../../infrastructure/db/pages.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { cidrsOf } from "./network-cidrs.ts";

export type NetworkRow = Selectable<Tables["networks"]>;

const ofOrganization = (db: Reader, organizationID: string) =>
  db.selectFrom("networks").selectAll().where("organization_id", "=", organizationID);

export function listNetworks(
  db: Reader,
  organizationID: string,
  request: PageRequest,
): Promise<Page<NetworkRow>> {
  const networks = ofOrganization(db, organizationID);
  return page(networks, oldestFirst<NetworkRow>(), request, () => countRows(networks));
}

export function findNetwork(db: Reader, organizationID: string, id: string): Promise<NetworkRow | undefined> {
  return ofOrganization(db, organizationID).where("id", "=", id).executeTakeFirst();
}

/** The ranges of all networks, including those they get when they are upgraded. The caller has locked the organization, so that none is added in the meantime. */
export async function listCidrs(tx: Writer, organizationID: string): Promise<string[]> {
  const rows = await tx
    .selectFrom("networks")
    .leftJoin("network_upgrades", "network_upgrades.network_id", "networks.id")
    .select([
      "networks.cidr",
      sql<string | null>`coalesce(networks.ipv6_cidr, network_upgrades.ipv6_cidr)`.as("ipv6_cidr"),
    ])
    .where("networks.organization_id", "=", organizationID)
    .execute();
  return rows.flatMap(cidrsOf);
}
