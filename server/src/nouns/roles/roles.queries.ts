import { type Selectable, sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import { countRows, oldestFirst, type Page, page, type PageRequest } from "../../infrastructure/db/pages.ts";
import { containing } from "../../infrastructure/db/search.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";

type RoleRow = Selectable<Tables["roles"]>;
export type CountedRole = RoleRow & { host_count: number };

const ofOrganization = (db: Reader, organizationID: string) =>
  db.selectFrom("roles").where("organization_id", "=", organizationID);

export async function listRoles(
  db: Reader,
  organizationID: string,
  search: string | undefined,
  request: PageRequest,
): Promise<Page<CountedRole>> {
  let roles = ofOrganization(db, organizationID);
  if (search)
    roles = roles.where((eb) =>
      eb.or([eb("name", "ilike", containing(search)), eb("description", "ilike", containing(search))]),
    );
  const { rows, metadata } = await page(roles.selectAll(), oldestFirst<RoleRow>(), request, () =>
    countRows(roles),
  );
  return { rows: await withHostCounts(db, organizationID, rows), metadata };
}

export async function findRole(
  db: Reader,
  organizationID: string,
  id: string,
): Promise<CountedRole | undefined> {
  const row = await ofOrganization(db, organizationID).selectAll().where("id", "=", id).executeTakeFirst();
  const [counted] = row ? await withHostCounts(db, organizationID, [row]) : [];
  return counted;
}

async function withHostCounts(db: Reader, organizationID: string, roles: RoleRow[]): Promise<CountedRole[]> {
  if (roles.length === 0) return [];
  const ids = roles.map(({ id }) => id);
  const counts = await db
    .selectFrom("host_counts")
    .select(["role_id", sql<number>`sum(count)`.as("hosts")])
    .where("organization_id", "=", organizationID)
    .where("tag", "=", "")
    .where("role_id", "in", ids)
    .groupBy("role_id")
    .execute();
  const hostsOf = new Map(counts.map(({ role_id, hosts }) => [role_id, hosts]));
  return roles.map((role) => ({ ...role, host_count: hostsOf.get(role.id) ?? 0 }));
}
