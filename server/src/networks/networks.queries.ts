import type { Selectable } from "kysely";
import type { Reader, Writer } from "../db/client.ts";
import { type Page, page, type PageRequest } from "../db/pages.ts";
import type { Tables } from "../db/tables.ts";

export type NetworkRow = Selectable<Tables["networks"]>;

export function listNetworks(
  db: Reader,
  organizationID: string,
  request: PageRequest,
): Promise<Page<NetworkRow>> {
  return page(
    db.selectFrom("networks").selectAll().where("organization_id", "=", organizationID),
    {
      keys: [
        { column: "created_at", kind: "instant", of: (row) => row.created_at.toISOString() },
        { column: "id", kind: "text", of: (row) => row.id },
      ],
    },
    request,
    () => countNetworks(db, organizationID),
  );
}

async function countNetworks(db: Reader, organizationID: string): Promise<number> {
  const { count } = await db
    .selectFrom("networks")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("organization_id", "=", organizationID)
    .executeTakeFirstOrThrow();
  return count;
}

export function findNetwork(db: Reader, organizationID: string, id: string): Promise<NetworkRow | undefined> {
  return db
    .selectFrom("networks")
    .selectAll()
    .where("organization_id", "=", organizationID)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** The row, held until the transaction ends, so that `before` in the audit entry is what was replaced. */
export function lockNetwork(tx: Writer, organizationID: string, id: string): Promise<NetworkRow | undefined> {
  return tx
    .selectFrom("networks")
    .selectAll()
    .where("organization_id", "=", organizationID)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

/** Every CIDR in use, held against other creations in the organization until the transaction ends. */
export async function lockCidrs(tx: Writer, organizationID: string): Promise<string[]> {
  await tx
    .selectFrom("organizations")
    .select("id")
    .where("id", "=", organizationID)
    .forNoKeyUpdate()
    .execute();
  const rows = await tx
    .selectFrom("networks")
    .select("cidr")
    .where("organization_id", "=", organizationID)
    .execute();
  return rows.map(({ cidr }) => cidr);
}
