import type { Selectable } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import { countRows, oldestFirst, type Page, page, type PageRequest } from "../../infrastructure/db/pages.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";

export type RuleRow = Selectable<Tables["notification_rules"]>;

const ofOrganization = (db: Reader, organizationID: string) =>
  db.selectFrom("notification_rules").selectAll().where("organization_id", "=", organizationID);

export function listRules(db: Reader, organizationID: string, request: PageRequest): Promise<Page<RuleRow>> {
  const rules = ofOrganization(db, organizationID);
  return page(rules, oldestFirst<RuleRow>(), request, () => countRows(rules));
}

export const findRule = (db: Reader, organizationID: string, id: string): Promise<RuleRow | undefined> =>
  ofOrganization(db, organizationID).where("id", "=", id).executeTakeFirst();

export const countRules = (db: Reader, organizationID: string): Promise<number> =>
  countRows(ofOrganization(db, organizationID));

/** The roles and tags that exist. */
export async function findFilterNames(
  db: Reader,
  organizationID: string,
  { roleIDs, tags }: { roleIDs: string[]; tags: string[] },
): Promise<{ roleIDs: string[]; tags: string[] }> {
  const roles = await db
    .selectFrom("roles")
    .select("id")
    .where("organization_id", "=", organizationID)
    .where("id", "=", (eb) => eb.fn.any(eb.val(roleIDs)))
    .execute();
  const names = await db
    .selectFrom("tags")
    .select("name")
    .where("organization_id", "=", organizationID)
    .where("name", "=", (eb) => eb.fn.any(eb.val(tags)))
    .execute();
  return { roleIDs: roles.map(({ id }) => id), tags: names.map(({ name }) => name) };
}
