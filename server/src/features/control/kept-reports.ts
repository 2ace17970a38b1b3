/** What hosts said last, written down for many of them at once. */
import { sql } from "kysely";
import { createBatch } from "../../infrastructure/scheduling/batch.ts";
import type { Bookkeeper } from "../../infrastructure/db/client.ts";

/** What consoles show of a report, beside whether the host has drifted, of which they are told by itself. */
export interface Shown {
  config_hash: string | null;
  nebula_version: string | null;
  error: string | null;
  tunnels: { vpnIp: string }[] | null;
}

export interface Report extends Shown {
  host_id: string;
  organization_id: string;
  applied_at: Date | null;
  reported_at: Date;
}

const AT_ONCE = 200;

/** Answers what was shown before; undefined, and nothing is kept, of a host that is blocked or gone. */
export function createReportKeeping(db: Bookkeeper): (report: Report) => Promise<Shown | undefined> {
  const keep = (wait: "skip locked" | "", reports: Report[]) =>
    db.transaction().execute(async (tx) => {
      const held = await hold(tx, wait, reports);
      const kept = reports
        .filter(({ host_id }) => held.get(host_id)?.is_blocked === false)
        // Who cannot tell its tunnels has those it told of before.
        .map((report) => ({
          ...report,
          tunnels: report.tunnels ?? held.get(report.host_id)?.tunnels ?? [],
        }));
      if (kept.length > 0) await insert(tx, kept);
      return reports.map(({ host_id }) => held.get(host_id));
    });
  const keepTogether = createBatch({
    max: AT_ONCE,
    keyOf: ({ host_id }: Report) => host_id,
    work: (reports: Report[]) => keep("skip locked", reports),
  });
  return async (report) => {
    // A host that somebody holds is waited for alone, so that no round waits.
    const before = (await keepTogether(report)) ?? (await keep("", [report]))[0];
    return before?.is_blocked === false ? before : undefined;
  };
}

/** Held against those who block them, and with that forget what they said. */
async function hold(tx: Bookkeeper, wait: "skip locked" | "", reports: Report[]) {
  const ids = reports.map(({ host_id }) => host_id);
  const { rows } = await sql<Shown & { id: string; is_blocked: boolean }>`
    select hosts.id, is_blocked, config_hash, nebula_version, error, tunnels
      from hosts left join host_reports on host_id = hosts.id
      where hosts.id = any(${ids}::text[])
      order by hosts.id for key share of hosts ${sql.raw(wait)}`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

const insert = (tx: Bookkeeper, reports: Report[]) =>
  sql`
    insert into host_reports
        (host_id, organization_id, config_hash, nebula_version, applied_at, error, tunnels, reported_at)
      select host_id, organization_id, config_hash, nebula_version, applied_at, error, tunnels, reported_at
        from jsonb_populate_recordset(null::host_reports, ${JSON.stringify(reports)}::jsonb)
      on conflict (host_id) do update set config_hash = excluded.config_hash,
        nebula_version = excluded.nebula_version, applied_at = excluded.applied_at, error = excluded.error,
        tunnels = excluded.tunnels, reported_at = excluded.reported_at`.execute(tx);
