import { type Selectable, sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import { countRows, oldestFirst, type Page, page, type PageRequest } from "../../infrastructure/db/pages.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";

/** Only people who use single sign-on stay listed after they are removed. */
export type MemberRow = Selectable<Tables["members"]> & { removed_at: Date | null };

const ofOrganization = (db: Reader, organizationID: string) =>
  db.selectFrom("members").where("organization_id", "=", organizationID);

const removedAt = sql<Date | null>`(
  select removed_at from oidc_users where oidc_users.id = members.id
)`.as("removed_at");

export function listMembers(
  db: Reader,
  organizationID: string,
  request: PageRequest,
): Promise<Page<MemberRow>> {
  const members = ofOrganization(db, organizationID);
  return page(members.selectAll().select(removedAt), oldestFirst<MemberRow>(), request, () =>
    countRows(members),
  );
}

export function findMember(db: Reader, organizationID: string, id: string): Promise<MemberRow | undefined> {
  return ofOrganization(db, organizationID)
    .selectAll()
    .select(removedAt)
    .where("id", "=", id)
    .executeTakeFirst();
}
