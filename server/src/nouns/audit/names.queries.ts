import { sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";

/** Things that are called by a name, each in a table of the same shape. */
const named = [
  "hosts",
  "roles",
  "networks",
  "routes",
  "api_keys",
  "certificate_authorities",
  "totp_authenticators",
] as const;

/** What those of the ids that still exist are called now. Tags are their names, and people their addresses. */
export async function findNames(
  db: Reader,
  organizationID: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const isAsked = (column: string) => sql<boolean>`${sql.ref(column)} = any(${ids}::text[])`;
  const tables = named.map((table) =>
    db
      .selectFrom(table)
      .select(["id", "name"])
      .where("organization_id", "=", organizationID)
      .where(isAsked("id")),
  );
  const members = db
    .selectFrom("members")
    .select(["id", "email as name"])
    .where("organization_id", "=", organizationID)
    .where(isAsked("id"));
  const tags = db
    .selectFrom("tags")
    .select(["name as id", "name"])
    .where("organization_id", "=", organizationID)
    .where(isAsked("name"));
  const domains = db
    .selectFrom("organization_domains")
    .select(["domain as id", "domain as name"])
    .where("organization_id", "=", organizationID)
    .where(isAsked("domain"));
  const others = members.unionAll(tags).unionAll(domains);
  const found = await tables.reduce((all, one) => all.unionAll(one), others).execute();
  return new Map(found.map(({ id, name }) => [id, name]));
}
