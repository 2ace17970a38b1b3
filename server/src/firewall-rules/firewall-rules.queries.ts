import { sql } from "kysely";
import type { Writer } from "../db/client.ts";

/** Is a rule of this pattern in any role but this, any tag but this, or any route? */
export async function hasRule(
  tx: Writer,
  organizationID: string,
  { pattern, exceptRoleID, exceptTag }: { pattern: object; exceptRoleID: string; exceptTag: string },
): Promise<boolean> {
  const matches = sql<boolean>`firewall_rules @> ${JSON.stringify([pattern])}::jsonb`;
  const roles = tx
    .selectFrom("roles")
    .select("id")
    .where("organization_id", "=", organizationID)
    .where("id", "!=", exceptRoleID)
    .where(matches);
  const tags = tx
    .selectFrom("tags")
    .select("name as id")
    .where("organization_id", "=", organizationID)
    .where("name", "!=", exceptTag)
    .where(matches);
  const routes = tx
    .selectFrom("routes")
    .select("id")
    .where("organization_id", "=", organizationID)
    .where(matches);
  const found = await roles.unionAll(tags).unionAll(routes).limit(1).executeTakeFirst();
  return found !== undefined;
}
