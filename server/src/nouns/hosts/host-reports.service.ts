/** Stores the latest report of each host, many in one statement. */
import type { ReportedSystem, ReportedTraffic, ReportedTunnel } from "@lightkeeper/contract/agent";
import { sql } from "kysely";
import { AGENT_SPACING_MS, createBatch } from "../../infrastructure/scheduling/batch.ts";
import type { UnauditedWriter, Writer } from "../../infrastructure/db/client.ts";
import { lockHostsForKeyShare } from "../../infrastructure/db/locks.ts";
import { storeRevisions } from "./host-revisions.service.ts";
import { storeTraffic } from "./host-traffic.service.ts";

/** The part of a report that consoles show. */
export interface ShownReport {
  config_hash: string | null;
  nebula_version: string | null;
  error: string | null;
  tunnels: ReportedTunnel[] | null;
  system: ReportedSystem | null;
}

export interface HostReport extends ShownReport {
  host_id: string;
  organization_id: string;
  applied_at: Date | null;
  reported_at: Date;
  /** Of the configuration that the host runs; null if it isn't the one that the host was sent. */
  revision: number | null;
  /** Null if the report has no counters. */
  traffic: ReportedTraffic | null;
}

export type StoreReport = (report: HostReport) => Promise<ShownReport | undefined>;

const BATCH_SIZE = 200;

/** Returns the previous report; stores nothing and returns undefined if the host is blocked or deleted. */
export function createReportStore(db: UnauditedWriter): StoreReport {
  const store = (reports: HostReport[], { isSkippingLocked }: { isSkippingLocked: boolean }) =>
    db.transaction().execute(async (tx) => {
      const ids = reports.map(({ host_id }) => host_id);
      const hosts = await lockHostsForKeyShare(tx, ids, { isSkippingLocked });
      const previous = await findPrevious(tx, hosts);
      const accepted = reports
        .filter(({ host_id }) => previous.get(host_id)?.is_blocked === false)
        // An agent that can't list tunnels reports none: the last known ones stay.
        .map((report) => ({
          ...report,
          tunnels: report.tunnels ?? previous.get(report.host_id)?.tunnels ?? [],
        }));
      if (accepted.length > 0) await upsertReports(tx, accepted);
      await storeRevisions(tx, accepted);
      await storeTraffic(tx, accepted);
      return reports.map(({ host_id }) => previous.get(host_id));
    });
  const storeTogether = createBatch({
    max: BATCH_SIZE,
    spacingMs: AGENT_SPACING_MS,
    keyOf: ({ host_id }: HostReport) => host_id,
    work: (reports: HostReport[]) => store(reports, { isSkippingLocked: true }),
  });
  return async (report) => {
    // Waits alone for a host that another request has locked, so that no batch waits.
    const before = (await storeTogether(report)) ?? (await store([report], { isSkippingLocked: false }))[0];
    return before?.is_blocked === false ? before : undefined;
  };
}

const EMPTY: ShownReport = {
  config_hash: null,
  nebula_version: null,
  error: null,
  tunnels: null,
  system: null,
};

async function findPrevious(tx: UnauditedWriter, hosts: { id: string; is_blocked: boolean }[]) {
  const ids = hosts.map(({ id }) => id);
  const { rows } = await sql<ShownReport & { host_id: string }>`
    select host_id, config_hash, nebula_version, error, tunnels, system from host_reports
      where host_id = any(${ids}::text[])`.execute(tx);
  const reports = new Map(rows.map(({ host_id, ...report }) => [host_id, report]));
  return new Map(hosts.map(({ id, is_blocked }) => [id, { is_blocked, ...(reports.get(id) ?? EMPTY) }]));
}

const upsertReports = (tx: UnauditedWriter, reports: HostReport[]) =>
  sql`
    insert into host_reports
        (host_id, organization_id, config_hash, nebula_version, applied_at, error, tunnels, system, reported_at)
      select host_id, organization_id, config_hash, nebula_version, applied_at, error, tunnels, system, reported_at
        from jsonb_populate_recordset(null::host_reports, ${JSON.stringify(reports)}::jsonb)
      on conflict (host_id) do update set config_hash = excluded.config_hash,
        nebula_version = excluded.nebula_version, applied_at = excluded.applied_at, error = excluded.error,
        tunnels = excluded.tunnels, system = excluded.system, reported_at = excluded.reported_at`.execute(tx);

export async function deleteReports(tx: Writer, hostIDs: readonly string[]): Promise<void> {
  await tx.deleteFrom("host_reports").where("host_id", "in", hostIDs).execute();
}
