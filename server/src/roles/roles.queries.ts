import { type Selectable, sql } from "kysely";
import type { Reader, Writer } from "../db/client.ts";
import { countRows, oldestFirst, type Page, page, type PageRequest } from "../db/pages.ts";
import { containing } from "../db/search.ts";
import type { Tables } from "../db/tables.ts";

export type RoleRow = Selectable<Tables["roles"]>;

const ofOrganization = (db: Reader, organizationID: string) =>
  db.selectFrom("roles").where("organization_id", "=", organizationID);

export function listRoles(
  db: Reader,
  organizationID: string,
  search: string | undefined,
  request: PageRequest,
): Promise<Page<RoleRow>> {
  let roles = ofOrganization(db, organizationID);
  if (search)
    roles = roles.where((eb) =>
      eb.or([eb("name", "ilike", containing(search)), eb("description", "ilike", containing(search))]),
    );
  return page(roles.selectAll(), oldestFirst<RoleRow>(), request, () => countRows(roles));
}

export function findRole(db: Reader, organizationID: string, id: string): Promise<RoleRow | undefined> {
  return ofOrganization(db, organizationID).selectAll().where("id", "=", id).executeTakeFirst();
}

export function lockRole(tx: Writer, organizationID: string, id: string): Promise<RoleRow | undefined> {
  return ofOrganization(tx, organizationID).selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

/** Those of the ids that are roles here, held so that none can be deleted before the transaction ends. */
export async function holdRoles(tx: Writer, organizationID: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await ofOrganization(tx, organizationID)
    .select("id")
    .where("id", "in", ids)
    .orderBy("id")
    .forKeyShare()
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Does a rule of another role name this one? */
export async function isNamedInRules(tx: Writer, organizationID: string, id: string): Promise<boolean> {
  const pattern = JSON.stringify([{ allowedRoleID: id }]);
  const row = await ofOrganization(tx, organizationID)
    .select("id")
    .where("id", "!=", id)
    .where(sql<boolean>`firewall_rules @> ${pattern}::jsonb`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
