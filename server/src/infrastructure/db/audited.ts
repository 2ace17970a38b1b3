/**
 * The only door to a write. Whoever changes something gets a transaction here and has to hand back the
 * audit entries of what it changed; they are stored, and everybody is told, in that same transaction.
 */
import type { AuditActor, AuditEventType, AuditTargetType } from "@lightkeeper/contract";
import { type Kysely, sql } from "kysely";
import { newId } from "../crypto/ids.ts";
import type { Writer } from "./client.ts";
import { notifyOfChanges } from "./notifications.ts";
import type { Tables } from "./tables.ts";

/** On whose behalf something is changed, and in which organization. */
export interface Author {
  organizationID: string;
  actor: AuditActor;
  /** Where the actor called from, where that is not where the write itself came from. */
  address?: string | undefined;
}

export interface AuditEntry extends Author {
  target: { type: AuditTargetType; id: string };
  event: AuditEventType;
  before: object | string | null;
  after: object | string | null;
  /** Where the change belongs to a network, so that listeners can tell. */
  networkID?: string;
}

export type Outcome<T> =
  | { kind: "done"; data: T; entries: [AuditEntry, ...AuditEntry[]] }
  /** Nothing was written; held against the transaction before it commits. */
  | { kind: "unchanged"; data: T }
  /** What was written, the entries included, stays; the caller is refused. */
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

/** The same outcome with its data as the caller will see it. */
export function presenting<Row, T>(outcome: Outcome<Row>, present: (row: Row) => T): Outcome<T> {
  return outcome.kind === "refused" ? outcome : { ...outcome, data: present(outcome.data) };
}

const nouns: Record<AuditTargetType, string> = {
  apiKey: "api-keys",
  ca: "certificate-authorities",
  host: "hosts",
  network: "networks",
  oidcProvider: "oidc-provider",
  role: "roles",
  user: "members",
  route: "routes",
  tag: "tags",
  totp: "totp-authenticators",
  billing: "billing",
  organization: "organizations",
  domain: "domains",
  deviceRequest: "device-requests",
};

/** Nobody called: what we do of ourselves comes from nowhere, whoever's request it follows from. */
const callsFromNowhere = new Set<AuditActor["type"]>(["system", "support"]);

/** Few enough for the time limit of a statement and the largest value that PostgreSQL takes. */
const ENTRIES_PER_STATEMENT = 2000;

async function store(tx: Writer, entries: AuditEntry[], origin: Origin): Promise<void> {
  for (let start = 0; start < entries.length; start += ENTRIES_PER_STATEMENT)
    await storeSome(tx, entries.slice(start, start + ENTRIES_PER_STATEMENT), origin);
}

/** However many there are, each statement takes a handful of values. */
async function storeSome(tx: Writer, entries: AuditEntry[], origin: Origin): Promise<void> {
  const rows = entries.map((entry) => ({
    id: newId("log"),
    organization_id: entry.organizationID,
    actor: entry.actor,
    target_type: entry.target.type,
    target_id: entry.target.id,
    event_type: entry.event,
    before: entry.before,
    after: entry.after,
    actor_address: callsFromNowhere.has(entry.actor.type) ? null : (entry.address ?? origin.address ?? null),
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
    noun: nouns[target.type],
    id: target.id,
    networkID,
  }));
  await notifyOfChanges(tx, changes);
}

async function assertUntouched(tx: Writer): Promise<void> {
  const { rows } = await sql<{
    id: string | null;
  }>`select pg_current_xact_id_if_assigned()::text as id`.execute(tx);
  if (rows[0]?.id) throw new Error("A write without an audit entry: return done() with its entries");
}

/** Whence a write came. */
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
    if (result.kind === "unchanged") await assertUntouched(tx);
    else await store(tx, result.entries, origin);
    return result;
  });
  if (outcome.kind === "refused") throw outcome.error;
  return outcome.data;
}
