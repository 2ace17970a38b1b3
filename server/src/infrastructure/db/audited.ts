/** The only way to write: the work returns its audit entries, which are stored and announced in the same transaction. */
import type { AccessDiffSummary, AuditActor, AuditEventType, AuditTargetType } from "@lightkeeper/contract";
import { type Kysely, sql } from "kysely";
import type { Writer } from "./client.ts";
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
  /** What the whole transaction opened and closed. */
  accessDiff?: AccessDiffSummary;
}

export type Outcome<T> =
  | { kind: "done"; data: T; entries: [AuditEntry, ...AuditEntry[]] }
  /** Nothing was written, which is asserted before the commit. */
  | { kind: "unchanged"; data: T }
  /** Rows were locked, but nothing was to be changed. The transaction is rolled back, because a lock looks like a write. */
  | { kind: "locked"; data: T }
  /** The change and its entries are kept, and the caller gets the error. */
  | { kind: "rejected"; error: Error; entries: [AuditEntry, ...AuditEntry[]] };

export const done = <T>(data: T, ...entries: [AuditEntry, ...AuditEntry[]]): Outcome<T> => ({
  kind: "done",
  data,
  entries,
});
export const unchanged = <T>(data: T): Outcome<T> => ({ kind: "unchanged", data });
export const locked = <T>(data: T): Outcome<T> => ({ kind: "locked", data });
export const rejected = (error: Error, ...entries: [AuditEntry, ...AuditEntry[]]): Outcome<never> => ({
  kind: "rejected",
  error,
  entries,
});

/** Maps the data of an outcome to its public form. */
export function mapOutcome<Row, T>(outcome: Outcome<Row>, map: (row: Row) => T): Outcome<T> {
  return outcome.kind === "rejected" ? outcome : { ...outcome, data: map(outcome.data) };
}

async function assertUnchanged(tx: Writer): Promise<void> {
  const { rows } = await sql<{
    id: string | null;
  }>`select pg_current_xact_id_if_assigned()::text as id`.execute(tx);
  if (rows[0]?.id) throw new Error("A write without an audit entry: return done() with its entries");
}

/** Rolls a transaction back, although its request succeeds. */
class RollBack extends Error {
  readonly outcome: Outcome<unknown>;
  constructor(outcome: Outcome<unknown>) {
    super("The transaction changed nothing");
    this.outcome = outcome;
  }
}

/** The request that a write belongs to. */
export interface Origin {
  address?: string | undefined;
  /** If the write is rejected, its parts run again, and those that are rejected again are reported. */
  isRepeated?: boolean;
}

/** Decides about every write before its commit. */
export interface Guard {
  /** Returns the entries to store, or throws to roll the transaction back. */
  beforeCommit(tx: Writer, entries: AuditEntry[]): Promise<AuditEntry[]>;
  afterRollback(error: unknown, origin: Origin): Promise<void>;
}

/** Stores audit entries, notifies of the changes and commits; the audit log's own folder implements it. */
type StoreAndCommit = (tx: Writer, entries: AuditEntry[], origin: Origin) => Promise<void>;

export async function audited<T>(
  {
    db,
    storeAndCommit,
    guards,
  }: { db: Kysely<Tables>; storeAndCommit: StoreAndCommit; guards: readonly Guard[] },
  work: (tx: Writer) => Promise<Outcome<T>>,
  origin: Origin = {},
): Promise<T> {
  const transaction = db.transaction().execute(async (tx) => {
    const result = await work(tx);
    if (result.kind === "locked") throw new RollBack(result);
    if (result.kind === "unchanged") await assertUnchanged(tx);
    else {
      let entries: AuditEntry[] = result.entries;
      for (const guard of guards) entries = await guard.beforeCommit(tx, entries);
      await storeAndCommit(tx, entries, origin);
    }
    return result;
  });
  const outcome = await transaction.catch((error: unknown) => {
    if (error instanceof RollBack) return error.outcome as Outcome<T>;
    throw error;
  });
  if (outcome.kind === "rejected") throw outcome.error;
  return outcome.data;
}
