import type { Selectable } from "kysely";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { countRows, oldestFirst, type Page, page, type PageRequest } from "../../infrastructure/db/pages.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { holdOrganization } from "../organizations/held-organization.service.ts";

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

/** The row, held until the transaction ends, so that `before` in the audit entry is what was replaced. */
export function lockNetwork(tx: Writer, organizationID: string, id: string): Promise<NetworkRow | undefined> {
  return ofOrganization(tx, organizationID).where("id", "=", id).forUpdate().executeTakeFirst();
}

/** Every CIDR in use, held against other creations in the organization until the transaction ends. */
export async function lockCidrs(tx: Writer, organizationID: string): Promise<string[]> {
  await holdOrganization(tx, organizationID);
  const rows = await tx
    .selectFrom("networks")
    .select("cidr")
    .where("organization_id", "=", organizationID)
    .execute();
  return rows.map(({ cidr }) => cidr);
}
