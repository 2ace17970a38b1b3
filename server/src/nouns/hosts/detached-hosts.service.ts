/** Removes a role or tag from every host that has it. */
import type { AuditEntry } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockHostsForUpdate } from "../../infrastructure/db/locks.ts";
import type { Detachment, Reference } from "../firewall-rules/detached-rules.ts";
import { changeEntry, writeHosts } from "./host-changes.service.ts";
import { findHostIDsOf, type HostRow } from "./hosts.queries.ts";

/** Few enough for the time limit of a statement. */
const HOSTS_PER_STATEMENT = 2000;

/** The caller has locked all networks of the organization. */
export async function detachFromHosts(
  tx: Writer,
  { author, reference, now }: Detachment,
): Promise<AuditEntry[]> {
  const ids = await findHostIDsOf(tx, author.organizationID, reference);
  const entries: AuditEntry[] = [];
  for (let start = 0; start < ids.length; start += HOSTS_PER_STATEMENT) {
    const some = ids.slice(start, start + HOSTS_PER_STATEMENT);
    const hosts = await lockHostsForUpdate(tx, author.organizationID, some);
    await writeHosts(
      tx,
      hosts.map((host) => withoutReference(host, reference)),
      now,
    );
    for (const host of hosts) entries.push(changeEntry(author, host, withoutReference(host, reference)));
  }
  return entries;
}

const withoutReference = (host: HostRow, reference: Reference): HostRow =>
  "roleID" in reference
    ? { ...host, role_id: null }
    : { ...host, tags: host.tags.filter((tag) => tag !== reference.tag) };
