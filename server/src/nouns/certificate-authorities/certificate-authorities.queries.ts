import type { Selectable } from "kysely";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { countRows, oldestFirst, type Page, page, type PageRequest } from "../../infrastructure/db/pages.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";

/** All columns except the private key, which no read needs. */
const COLUMNS = [
  "id",
  "organization_id",
  "network_id",
  "name",
  "state",
  "curve",
  "cert_version",
  "certificate",
  "fingerprint",
  "not_before",
  "not_after",
  "created_at",
] as const satisfies (keyof Tables["certificate_authorities"])[];

export type CaRow = Pick<Selectable<Tables["certificate_authorities"]>, (typeof COLUMNS)[number]>;

const ofOrganization = (db: Reader, organizationID: string) =>
  db.selectFrom("certificate_authorities").select(COLUMNS).where("organization_id", "=", organizationID);

export function listCas(
  db: Reader,
  organizationID: string,
  networkID: string | undefined,
  request: PageRequest,
): Promise<Page<CaRow>> {
  let cas = ofOrganization(db, organizationID);
  if (networkID) cas = cas.where("network_id", "=", networkID);
  return page(cas, oldestFirst<CaRow>(), request, () => countRows(cas));
}

export interface CaUse {
  hostCount: number;
  /** When the first certificate of a host expires. */
  firstExpiresAt: Date | null;
}

/** The hosts that use a certificate of each CA; omits unused CAs. */
export async function listCaUses(db: Reader, ids: string[]): Promise<Map<string, CaUse>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("hosts")
    .select(({ fn }) => [
      "ca_id",
      fn.countAll<number>().as("hostCount"),
      fn.min<Date | null>("certificate_expires_at").as("firstExpiresAt"),
    ])
    .where("ca_id", "in", ids)
    .groupBy("ca_id")
    .execute();
  return new Map(rows.map(({ ca_id, ...use }) => [ca_id ?? "", use]));
}

export async function findNetworkOf(
  db: Reader,
  organizationID: string,
  id: string,
): Promise<string | undefined> {
  const row = await ofOrganization(db, organizationID).where("id", "=", id).executeTakeFirst();
  return row?.network_id;
}

export async function setCaState(
  tx: Writer,
  { organization_id, id }: CaRow,
  state: CaRow["state"],
): Promise<CaRow> {
  return tx
    .updateTable("certificate_authorities")
    .set({ state })
    .where("organization_id", "=", organization_id)
    .where("id", "=", id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}
