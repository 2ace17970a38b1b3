/** The only way to write: the work returns its audit entries, which are stored and announced in the same transaction. */
import {
  type AuditActor,
  type AuditEventType,
  type AuditTargetType,
  type Noun,
  nouns,
} from "@lightkeeper/contract";
import { type Kysely, sql } from "kysely";
import { newId } from "../crypto/ids.ts";
import type { Writer } from "./client.ts";
import { notifyOfChanges } from "./notifications.ts";
import type { Tables } from "./tables.ts";

/** The actor of a change, and the organization that it belongs to. */
export interface Author {
  organizationID: string;
  actor: AuditActor;
  /** The actor's IP address, if it differs from the request's. */
  address?: string | undefined;
}

export interface AuditEntry extends Author {
  target: { type: AuditTargetType; id: string };
  event: AuditEventType;
  before: object | string | null;
  after: object | string | null;
  /** Lets subscribers filter by network. */
  networkID?: string;
}

export type Outcome<T> =
  | { kind: "done"; data: T; entries: [AuditEntry, ...AuditEntry[]] }
  /** Nothing was written, which is asserted before the commit. */
  | { kind: "unchanged"; data: T }
  /** The change and its entries are kept, and the caller gets the error. */
  | { kind: "refused"; error: Error; entries: [AuditEntry, ...AuditEntry[]] };

export const done = <T>(data: T, ...entries: [AuditEntry, ...AuditEntry[]]): Outcome<T> => ({
  kind: "done",
  data,
  entries,
});
export const unchanged = <T>(data: T): Outcome<T> => ({ kind: "unchanged", data });
export const refused = (error: Error, ...entries: [AuditEntry, ...AuditEntry[]]): Outcome<never> => ({
  kind: "refused",
  error,
  entries,
});

/** Maps the data of an outcome to its public form. */
export function presenting<Row, T>(outcome: Outcome<Row>, present: (row: Row) => T): Outcome<T> {
  return outcome.kind === "refused" ? outcome : { ...outcome, data: present(outcome.data) };
}

const nounOf = Object.fromEntries(
  Object.entries(nouns).flatMap(([noun, descriptor]) =>
    "auditTarget" in descriptor ? [[descriptor.auditTarget, noun]] : [],
  ),
) as Record<AuditTargetType, Noun>;

/** The server acts without a client, so these entries have no address. */
const actorsWithoutAddress = new Set<AuditActor["type"]>(["system", "support"]);

/** Keeps a statement below its time limit and below PostgreSQL's largest value. */
const ENTRIES_PER_STATEMENT = 2000;

async function storeEntries(tx: Writer, entries: AuditEntry[], origin: Origin): Promise<void> {
  for (let start = 0; start < entries.length; start += ENTRIES_PER_STATEMENT)
    await storeBatch(tx, entries.slice(start, start + ENTRIES_PER_STATEMENT), origin);
}

/** One JSON value, because a statement accepts only 65,535 parameters. */
async function storeBatch(tx: Writer, entries: AuditEntry[], origin: Origin): Promise<void> {
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
  }));
  await sql`
    insert into audit_logs (id, organization_id, actor, target_type, target_id, event_type, before, after,
        actor_address)
      select id, organization_id, actor, target_type, target_id, event_type, before, after, actor_address
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) entry (id text, organization_id text,
        actor jsonb, target_type text, target_id text, event_type text, before jsonb, after jsonb,
        actor_address text)`.execute(tx);
  const changes = entries.map(({ organizationID, target, networkID }) => ({
    organizationID,
    noun: nounOf[target.type],
    id: target.id,
    networkID,
  }));
  await notifyOfChanges(tx, changes);
}

async function assertUnchanged(tx: Writer): Promise<void> {
  const { rows } = await sql<{
    id: string | null;
  }>`select pg_current_xact_id_if_assigned()::text as id`.execute(tx);
  if (rows[0]?.id) throw new Error("A write without an audit entry: return done() with its entries");
}

/** The request that a write belongs to. */
export interface Origin {
  address?: string | undefined;
}

export async function audited<T>(
  db: Kysely<Tables>,
  work: (tx: Writer) => Promise<Outcome<T>>,
  origin: Origin = {},
): Promise<T> {
  const outcome = await db.transaction().execute(async (tx) => {
    const result = await work(tx);
    if (result.kind === "unchanged") await assertUnchanged(tx);
    else await storeEntries(tx, result.entries, origin);
    return result;
  });
  if (outcome.kind === "refused") throw outcome.error;
  return outcome.data;
}
