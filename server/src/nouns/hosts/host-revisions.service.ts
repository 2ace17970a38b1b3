/** The newest revision of its network that each enrolled host is known to run. */
import { sql } from "kysely";
import type { UnauditedWriter, Writer } from "../../infrastructure/db/client.ts";
import { executeWithNext } from "../../infrastructure/db/driver.ts";

/**
 * Hosts that enroll get the current revision, and never ran an older one with their new keys. Takes effect with the
 * caller's next statement.
 */
export async function insertRevisions(
  tx: Writer,
  { hostIDs, now }: { hostIDs: readonly string[]; now: Date },
): Promise<void> {
  const insert = tx
    .insertInto("host_revisions")
    .columns(["host_id", "organization_id", "network_id", "revision", "reached_at"])
    .expression((eb) =>
      eb
        .selectFrom("hosts")
        .innerJoin("networks", "networks.id", "hosts.network_id")
        .select([
          "hosts.id",
          "hosts.organization_id",
          "hosts.network_id",
          "networks.revision",
          sql<Date>`${now}::timestamptz`.as("reached_at"),
        ])
        .where("hosts.id", "=", sql<string>`any(${hostIDs}::text[])`),
    );
  await executeWithNext(tx, insert);
}

export interface ReportedRevision {
  host_id: string;
  /** Null if the host doesn't run the configuration that it was sent. */
  revision: number | null;
  reported_at: Date;
}

export async function storeRevisions(
  tx: UnauditedWriter,
  reports: readonly ReportedRevision[],
): Promise<void> {
  const reached = reports.filter(({ revision }) => revision !== null);
  if (reached.length === 0) return;
  const ids = reached.map(({ host_id }) => host_id);
  // The planner doesn't know how few rows the JSON has, and would read the whole table without the first condition.
  await sql`
    update host_revisions set revision = reached.revision, reached_at = reached.reported_at
      from jsonb_to_recordset(${JSON.stringify(reached)}::jsonb)
        as reached (host_id text, revision bigint, reported_at timestamptz)
      where host_revisions.host_id = any(${ids}::text[])
        and host_revisions.host_id = reached.host_id and host_revisions.revision < reached.revision`.execute(
    tx,
  );
}

/** For agents that never report, using the credentials shows that the configuration arrived. */
export async function storeUsedRevisions(
  tx: UnauditedWriter,
  generations: readonly { hostID: string; counter: number; now: Date }[],
): Promise<void> {
  const ids = generations.map(({ hostID }) => hostID);
  const counters = generations.map(({ counter }) => counter);
  const times = generations.map(({ now }) => now);
  await sql`
    update host_revisions set revision = used.revision, reached_at = generation.at
      from unnest(${ids}::text[], ${counters}::integer[], ${times}::timestamptz[]) generation (id, counter, at)
      join host_credentials used on used.host_id = generation.id and used.counter = generation.counter
      where host_revisions.host_id = generation.id and host_revisions.revision < used.revision
        and not exists (select from host_reports where host_reports.host_id = generation.id)`.execute(tx);
}

export async function deleteRevisions(tx: Writer, hostIDs: readonly string[]): Promise<void> {
  await tx.deleteFrom("host_revisions").where("host_id", "in", hostIDs).execute();
}
