import type { Selectable } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import { countRows, oldestFirst, type Page, page, type PageRequest } from "../../infrastructure/db/pages.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";

export type ApiKeyRow = Selectable<Tables["api_keys"]>;

const ofOrganization = (db: Reader, organizationID: string) =>
  db.selectFrom("api_keys").selectAll().where("organization_id", "=", organizationID);

export function listApiKeys(
  db: Reader,
  organizationID: string,
  request: PageRequest,
): Promise<Page<ApiKeyRow>> {
  const keys = ofOrganization(db, organizationID);
  return page(keys, oldestFirst<ApiKeyRow>(), request, () => countRows(keys));
}

export async function countApiKeys(db: Reader, organizationID: string): Promise<number> {
  return countRows(ofOrganization(db, organizationID));
}

export function findApiKey(db: Reader, organizationID: string, id: string): Promise<ApiKeyRow | undefined> {
  return ofOrganization(db, organizationID).where("id", "=", id).executeTakeFirst();
}
