/** Changes of existing hosts. Except for the organization, the caller has locked nothing yet. */
import type { AuditEventType, ConfigOverrides } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import {
  lockHostsForUpdate,
  lockNetworksForNoKeyUpdate,
  lockRolesForKeyShare,
} from "../../infrastructure/db/locks.ts";
import { violates } from "../../infrastructure/db/violations.ts";
import { requireNoDependents } from "../../features/dependents/dependents.service.ts";
import { revokeCertificates } from "../certificates/certificates.service.ts";
import { deleteEnrollmentCodes } from "../enrollment-codes/enrollment-codes.service.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { bumpRevisions } from "../networks/revisions.service.ts";
import { requireValidOverrides } from "../tags/config-overrides.service.ts";
import { ensureTags } from "../tags/ensure-tags.service.ts";
import { revokeHostAccess } from "./host-access.service.ts";
import { auditHost, entryOf } from "./host-audit.ts";
import { deleteBlocks, insertBlocks } from "./host-blocks.service.ts";
import { requireValidHostInput } from "./host-rules.ts";
import { findNetworkIDs, type HostRow } from "./hosts.queries.ts";
import { searchTextOf } from "./search-text.ts";

/** Undefined properties stay unchanged. */
export interface HostChange {
  name?: string | undefined;
  roleID: string | null;
  staticAddresses: string[];
  listenPort: number;
  tags?: string[] | undefined;
  configOverrides?: ConfigOverrides | undefined;
  description?: string | undefined;
  owner?: string | undefined;
}

export interface ChangeHost {
  author: Author;
  now: Date;
  id: string;
  change: HostChange;
}

/** A write returns at least one audit entry. */
type Entries = [AuditEntry, ...AuditEntry[]];
type NonEmpty<T> = readonly [T, ...T[]];

const mapEntries = <T>([first, ...rest]: NonEmpty<T>, entryFor: (item: T) => AuditEntry): Entries => [
  entryFor(first),
  ...rest.map(entryFor),
];

/** Locks the hosts that exist, after their networks, whose revisions the caller's change raises. */
export async function lockHostsForChange(
  tx: Writer,
  organizationID: string,
  ids: readonly string[],
): Promise<HostRow[]> {
  const networkIDs = await findNetworkIDs(tx, organizationID, ids);
  if (networkIDs.length === 0) return [];
  await lockNetworksForNoKeyUpdate(tx, organizationID, networkIDs);
  await bumpRevisions(tx, organizationID, networkIDs);
  return lockHostsForUpdate(tx, organizationID, ids);
}

export async function lockHostForChange(tx: Writer, organizationID: string, id: string): Promise<HostRow> {
  const [row] = await lockHostsForChange(tx, organizationID, [id]);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

/** For changes that don't affect other hosts and need no new revision. */
export async function lockHostAlone(tx: Writer, organizationID: string, id: string): Promise<HostRow> {
  const [row] = await lockHostsForUpdate(tx, organizationID, [id]);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

export async function changeHost(tx: Writer, { author, now, id, change }: ChangeHost): Promise<Entries> {
  const { organizationID } = author;
  if ((await findNetworkIDs(tx, organizationID, [id])).length === 0) throw new ApiError("ERR_NOT_FOUND");
  if (change.configOverrides) requireValidOverrides(change.configOverrides);
  const tagEntries = change.tags ? await ensureTags(tx, { author, names: change.tags, now }) : [];
  const { roleID } = change;
  if (roleID !== null && (await lockRolesForKeyShare(tx, organizationID, [roleID])).length === 0)
    throw new ApiError("ERR_INVALID_REFERENCE", { path: "roleID" });
  const before = await lockHostForChange(tx, organizationID, id);
  const after = {
    ...before,
    name: change.name ?? before.name,
    role_id: roleID,
    static_addresses: change.staticAddresses,
    listen_port: change.listenPort,
    tags: change.tags ?? before.tags,
    config_overrides: change.configOverrides ?? before.config_overrides,
    description: change.description ?? before.description,
    owner: change.owner ?? before.owner,
  };
  requireValidHostInput(
    {
      isLighthouse: before.is_lighthouse,
      isRelay: before.is_relay,
      staticAddresses: after.static_addresses,
      listenPort: after.listen_port,
    },
    (property) => property,
  );
  await writeHosts(tx, [after], now);
  return [changeEntry(author, before, after), ...tagEntries];
}

/** A change of only the overrides has its own event. */
export function changeEntry(author: Author, before: HostRow, after: HostRow): AuditEntry {
  const [oldState, newState] = [auditHost(before), auditHost(after)];
  const differs = (key: keyof typeof oldState) =>
    JSON.stringify(oldState[key]) !== JSON.stringify(newState[key]);
  const changed = (Object.keys(oldState) as (keyof typeof oldState)[]).filter(differs);
  const event: AuditEventType = changed.join() === "configOverrides" ? "SET_OVERRIDES" : "UPDATED";
  return entryOf(author, after, event, oldState, newState);
}

/** Writes all columns that can change, for all hosts in one statement. */
export async function writeHosts(tx: Writer, rows: readonly HostRow[], now: Date): Promise<void> {
  const values = rows.map((row) => {
    const tags = [...new Set(row.tags)];
    return { ...row, tags, search_text: searchTextOf({ ...row, tags }), modified_at: now };
  });
  try {
    await tx
      .updateTable("hosts")
      .from(
        sql<
          (typeof values)[number]
        >`jsonb_populate_recordset(null::hosts, ${JSON.stringify(values)}::jsonb)`.as("after"),
      )
      .set((eb) => ({
        name: eb.ref("after.name"),
        role_id: eb.ref("after.role_id"),
        static_addresses: eb.ref("after.static_addresses"),
        listen_port: eb.ref("after.listen_port"),
        tags: eb.ref("after.tags"),
        config_overrides: sql`after.config_overrides`,
        description: eb.ref("after.description"),
        owner: eb.ref("after.owner"),
        search_text: eb.ref("after.search_text"),
        is_blocked: eb.ref("after.is_blocked"),
        is_online: sql`hosts.is_online and not after.is_blocked`,
        modified_at: eb.ref("after.modified_at"),
      }))
      .whereRef("hosts.id", "=", "after.id")
      .execute();
  } catch (error) {
    if (violates(error, "hosts_name_unique")) throw new ApiError("ERR_DUPLICATE_VALUE", { path: "name" });
    throw error;
  }
}

export async function setBlocked(
  tx: Writer,
  {
    author,
    now,
    rows,
    isBlocked,
  }: { author: Author; now: Date; rows: NonEmpty<HostRow>; isBlocked: boolean },
): Promise<Entries> {
  await writeHosts(
    tx,
    rows.map((row) => ({ ...row, is_blocked: isBlocked })),
    now,
  );
  const hostIDs = rows.map(({ id }) => id);
  if (isBlocked) await insertBlocks(tx, { rows, now });
  else await deleteBlocks(tx, hostIDs);
  await revokeHostAccess(tx, { hostIDs, now });
  // The code of a blocked host returns ERR_HOST_BLOCKED, so it is deleted only when the host is unblocked.
  if (!isBlocked) await deleteEnrollmentCodes(tx, hostIDs);
  const event = isBlocked ? "BLOCKED_HOST" : "UNBLOCKED_HOST";
  return mapEntries(rows, (row) => entryOf(author, row, event, { isBlocked: row.is_blocked }, { isBlocked }));
}

/** Deletes no host if one of them is a router. A request that adds a route also locks the network. */
export async function removeHosts(
  tx: Writer,
  { author, now, rows }: { author: Author; now: Date; rows: NonEmpty<HostRow> },
): Promise<Entries> {
  const ids = rows.map(({ id }) => id);
  await requireNoDependents(tx, author.organizationID, { hostIDs: ids });
  await revokeCertificates(tx, { hostIDs: ids, now });
  await tx
    .deleteFrom("hosts")
    .where("organization_id", "=", author.organizationID)
    .where("id", "in", ids)
    .execute();
  return mapEntries(rows, (row) => entryOf(author, row, "DELETED", auditHost(row), null));
}

/** For the deletion of an organization, whose routes are deleted before. */
export async function deleteHostsOfOrganization(tx: Writer, organizationID: string): Promise<void> {
  await tx.deleteFrom("hosts").where("organization_id", "=", organizationID).execute();
}
