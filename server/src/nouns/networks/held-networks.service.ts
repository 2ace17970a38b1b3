import { type Selectable, sql } from "kysely";
import type { Writer } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";

export type HeldNetwork = Pick<
  Selectable<Tables["networks"]>,
  "id" | "name" | "cidr" | "cert_version" | "next_address"
>;

/**
 * Those of the ids that are networks here, held until the transaction ends and with a new revision: whoever
 * changes a host comes through here first, so that the hosts of one network change one after the other.
 */
export async function holdNetworks(
  tx: Writer,
  organizationID: string,
  ids: readonly string[],
): Promise<Map<string, HeldNetwork>> {
  if (ids.length > 1)
    await tx
      .selectFrom("networks")
      .select("id")
      .where("organization_id", "=", organizationID)
      .where("id", "in", ids)
      .orderBy("id")
      .forNoKeyUpdate()
      .execute();
  if (ids.length === 0) return new Map();
  const rows = await tx
    .updateTable("networks")
    .set((eb) => ({ revision: eb("revision", "+", 1) }))
    .where("organization_id", "=", organizationID)
    .where("id", "in", ids)
    .returning(["id", "name", "cidr", "cert_version", "next_address"])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Held without a change: for whoever must not be overtaken by one. */
export async function lockNetwork(tx: Writer, id: string): Promise<void> {
  await tx.selectFrom("networks").select("id").where("id", "=", id).forNoKeyUpdate().execute();
}

interface ChangedFor {
  roleIDs?: readonly string[];
  tags?: readonly string[];
  hostIDs?: readonly string[];
}

/**
 * A new revision for the networks of these hosts, and where a host has one of the roles or tags. All of the
 * organization's are locked first: a host that is being given one of them right now is there by then.
 */
export async function reviseNetworksWith(
  tx: Writer,
  organizationID: string,
  { roleIDs = [], tags = [], hostIDs = [] }: ChangedFor,
): Promise<void> {
  await tx
    .selectFrom("networks")
    .select("id")
    .where("organization_id", "=", organizationID)
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
  await tx
    .updateTable("networks")
    .set((eb) => ({ revision: eb("revision", "+", 1) }))
    .where("organization_id", "=", organizationID)
    .where(
      sql<boolean>`id in (
        select network_id from host_counts where organization_id = ${organizationID}
          and (tag = any(${tags}::text[]) or (tag = '' and role_id = any(${roleIDs}::text[])))
        union select network_id from hosts
          where organization_id = ${organizationID} and id = any(${hostIDs}::text[]))`,
    )
    .execute();
}
