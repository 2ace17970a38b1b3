/** The revision of a network identifies the state that configurations are compiled from; raising it wakes hosts. */
import { type Selectable, sql } from "kysely";
import type { Writer } from "../../infrastructure/db/client.ts";
import { executeWithNext } from "../../infrastructure/db/driver.ts";
import { lockAllNetworksForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";

export type LockedNetwork = Pick<
  Selectable<Tables["networks"]>,
  "id" | "name" | "cidr" | "ipv6_cidr" | "cert_version" | "next_address" | "next_ipv6_address"
>;

/** The caller has locked the networks. */
export async function bumpRevisions(
  tx: Writer,
  organizationID: string,
  networkIDs: readonly string[],
): Promise<void> {
  if (networkIDs.length === 0) return;
  await tx
    .updateTable("networks")
    .set((eb) => ({ revision: eb("revision", "+", 1) }))
    .where("organization_id", "=", organizationID)
    .where("id", "in", networkIDs)
    .execute();
}

interface ChangedReferences {
  roleIDs?: readonly string[];
  tags?: readonly string[];
  hostIDs?: readonly string[];
}

/**
 * For the networks of these hosts, and of hosts with one of these roles or tags. Locks all networks of the
 * organization first, so that a host that is getting one of them at the same time is counted.
 */
export async function lockNetworksAndBumpRevisions(
  tx: Writer,
  organizationID: string,
  { roleIDs = [], tags = [], hostIDs = [] }: ChangedReferences,
): Promise<void> {
  await lockAllNetworksForNoKeyUpdate(tx, organizationID);
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

/** Where the search for a free address starts. */
export type NextAddresses = Partial<Pick<LockedNetwork, "next_address" | "next_ipv6_address">>;

/** For a network with new hosts, which the caller has locked. Takes effect with the caller's next statement. */
export function bumpRevisionAfterAllocation(
  tx: Writer,
  networkID: string,
  next: NextAddresses,
): Promise<void> {
  const update = tx
    .updateTable("networks")
    .set((eb) => ({ revision: eb("revision", "+", 1), ...next }))
    .where("id", "=", networkID);
  return executeWithNext(tx, update);
}

/** The caller has locked the network and raises its revision. */
export async function setCertVersion(tx: Writer, networkID: string, certVersion: 2): Promise<void> {
  await tx.updateTable("networks").set({ cert_version: certVersion }).where("id", "=", networkID).execute();
}

/** The caller has locked the network and raises its revision. */
export async function setSigningCa(
  tx: Writer,
  ca: { id: string; organization_id: string; network_id: string },
): Promise<void> {
  await tx
    .updateTable("networks")
    .set({ signing_ca_id: ca.id })
    .where("organization_id", "=", ca.organization_id)
    .where("id", "=", ca.network_id)
    .execute();
}
