import { type AuditActor, type AuditTargetType, type Noun, nouns } from "@lightkeeper/contract";
import { type RawBuilder, sql } from "kysely";
import { newId } from "../crypto/ids.ts";
import type { AuditEntry, Origin } from "../db/audited.ts";
import type { Writer } from "../db/client.ts";
import { executeAndCommit } from "../db/driver.ts";
import { notifying } from "../db/notifications.ts";

const nounOf = Object.fromEntries(
  Object.entries(nouns).flatMap(([noun, descriptor]) =>
    "auditTarget" in descriptor ? [[descriptor.auditTarget, noun]] : [],
  ),
) as Record<AuditTargetType, Noun>;

/** The server acts without a client, so these entries have no address. */
const actorsWithoutAddress = new Set<AuditActor["type"]>(["system", "support"]);

/** Keeps a statement below its time limit and below PostgreSQL's largest value. */
const ENTRIES_PER_STATEMENT = 2000;

/** Stores the entries, notifies of the changes and commits. */
export async function storeAndCommit(tx: Writer, entries: AuditEntry[], origin: Origin): Promise<void> {
  let start = 0;
  for (; start + ENTRIES_PER_STATEMENT < entries.length; start += ENTRIES_PER_STATEMENT)
    await storing(entries.slice(start, start + ENTRIES_PER_STATEMENT), origin).execute(tx);
  await executeAndCommit(tx, storing(entries.slice(start), origin));
}

/** One JSON value, because a statement accepts only 65,535 parameters. */
function storing(entries: AuditEntry[], origin: Origin): RawBuilder<unknown> {
  const rows = entries.map((entry) => ({
    id: newId("log"),
    organization_id: entry.organizationID,
    actor: entry.actor,
    target_type: entry.target.type,
    target_id: entry.target.id,
    event_type: entry.event,
    before: entry.before,
    after: entry.after,
    actor_address: actorsWithoutAddress.has(entry.actor.type)
      ? null
      : (entry.address ?? origin.address ?? null),
    access_diff: entry.accessDiff ?? null,
  }));
  const changes = entries.map(({ organizationID, target, networkID }) => ({
    organizationID,
    noun: nounOf[target.type],
    id: target.id,
    networkID,
  }));
  return sql`
    with stored as (insert into audit_logs (id, organization_id, actor, target_type, target_id, event_type, before, after,
        actor_address, access_diff)
      select id, organization_id, actor, target_type, target_id, event_type, before, after, actor_address,
        access_diff
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) entry (id text, organization_id text,
        actor jsonb, target_type text, target_id text, event_type text, before jsonb, after jsonb,
        actor_address text, access_diff jsonb))
    ${notifying(changes)}`;
}
