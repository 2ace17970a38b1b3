import type { Selectable } from "kysely";
import type { Reader, Writer } from "../db/client.ts";
import { type Page, page, type PageRequest } from "../db/pages.ts";
import type { Tables } from "../db/tables.ts";

export type ApiKeyRow = Selectable<Tables["api_keys"]>;

const ofOrganization = (db: Reader, organizationID: string) =>
  db.selectFrom("api_keys").selectAll().where("organization_id", "=", organizationID);

export function listApiKeys(
  db: Reader,
  organizationID: string,
  request: PageRequest,
): Promise<Page<ApiKeyRow>> {
  return page(
    ofOrganization(db, organizationID),
    {
      keys: [
        { column: "created_at", kind: "instant", of: (row) => row.created_at.toISOString() },
        { column: "id", kind: "text", of: (row) => row.id },
      ],
    },
    request,
    () => countApiKeys(db, organizationID),
  );
}

async function countApiKeys(db: Reader, organizationID: string): Promise<number> {
  const { count } = await db
    .selectFrom("api_keys")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("organization_id", "=", organizationID)
    .executeTakeFirstOrThrow();
  return count;
}

export function findApiKey(db: Reader, organizationID: string, id: string): Promise<ApiKeyRow | undefined> {
  return ofOrganization(db, organizationID).where("id", "=", id).executeTakeFirst();
}

export function lockApiKey(tx: Writer, organizationID: string, id: string): Promise<ApiKeyRow | undefined> {
  return ofOrganization(tx, organizationID).where("id", "=", id).forUpdate().executeTakeFirst();
}
