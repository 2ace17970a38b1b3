import { sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";

const tablesWithNames = [
  "hosts",
  "roles",
  "networks",
  "routes",
  "api_keys",
  "certificate_authorities",
  "totp_authenticators",
] as const;

/** Returns the current names of those IDs that still exist. A tag's ID is its name; people are named by email. */
export async function findNames(
  db: Reader,
  organizationID: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const isRequested = (column: string) => sql<boolean>`${sql.ref(column)} = any(${ids}::text[])`;
  const tables = tablesWithNames.map((table) =>
    db
      .selectFrom(table)
      .select(["id", "name"])
      .where("organization_id", "=", organizationID)
      .where(isRequested("id")),
  );
  const members = db
    .selectFrom("members")
    .select(["id", "email as name"])
    .where("organization_id", "=", organizationID)
    .where(isRequested("id"));
  const tags = db
    .selectFrom("tags")
    .select(["name as id", "name"])
    .where("organization_id", "=", organizationID)
    .where(isRequested("name"));
  const domains = db
    .selectFrom("organization_domains")
    .select(["domain as id", "domain as name"])
    .where("organization_id", "=", organizationID)
    .where(isRequested("domain"));
  const others = members.unionAll(tags).unionAll(domains);
  const found = await tables.reduce((all, one) => all.unionAll(one), others).execute();
  return new Map(found.map(({ id, name }) => [id, name]));
}
