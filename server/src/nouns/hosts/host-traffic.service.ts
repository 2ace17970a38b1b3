/** Stores the traffic that hosts report, many in one statement. */
import { type HostTraffic, TRAFFIC_BUCKET_SECONDS } from "@lightkeeper/contract";
import type { ReportedTraffic } from "@lightkeeper/contract/agent";
import { sql } from "kysely";
import type { Reader, UnauditedWriter } from "../../infrastructure/db/client.ts";
import { addTraffic, type Traffic, trafficStart, unrollTraffic } from "./host-traffic.ts";

export interface TrafficReport {
  host_id: string;
  organization_id: string;
  traffic: ReportedTraffic | null;
  reported_at: Date;
}

export async function storeTraffic(tx: UnauditedWriter, reports: readonly TrafficReport[]): Promise<void> {
  const withTraffic = reports.filter(({ traffic }) => traffic !== null);
  if (withTraffic.length === 0) return;
  const previous = await findTraffic(
    tx,
    withTraffic.map(({ host_id }) => host_id),
  );
  const rows = withTraffic.flatMap(({ host_id, organization_id, traffic, reported_at }) =>
    traffic ? [{ host_id, organization_id, ...addTraffic(previous.get(host_id), traffic, reported_at) }] : [],
  );
  await sql`
    insert into host_traffic (host_id, organization_id, received, sent, newest_bucket,
        received_counter, sent_counter, reported_at)
      select host_id, organization_id, received, sent, newest_bucket, received_counter, sent_counter, reported_at
        from jsonb_populate_recordset(null::host_traffic, ${JSON.stringify(rows)}::jsonb)
      on conflict (host_id) do update set received = excluded.received, sent = excluded.sent,
        newest_bucket = excluded.newest_bucket, received_counter = excluded.received_counter,
        sent_counter = excluded.sent_counter, reported_at = excluded.reported_at`.execute(tx);
}

// As JSON, because the driver returns the elements of bigint arrays as text.
const BUCKET_COLUMNS = [
  sql<Traffic["received"]>`to_jsonb(received)`.as("received"),
  sql<Traffic["sent"]>`to_jsonb(sent)`.as("sent"),
] as const;

async function findTraffic(db: UnauditedWriter, hostIDs: readonly string[]): Promise<Map<string, Traffic>> {
  const rows = await db
    .selectFrom("host_traffic")
    .select(["host_id", "newest_bucket", "received_counter", "sent_counter", "reported_at"])
    .select(BUCKET_COLUMNS)
    .where("host_id", "in", hostIDs)
    .execute();
  return new Map(rows.map(({ host_id, ...traffic }) => [host_id, traffic]));
}

export interface FindHostTraffic {
  organizationID: string;
  hostID: string;
  now: Date;
}

/** The traffic of the 24 hours until now; undefined if the host doesn't exist. */
export async function findHostTraffic(
  db: Reader,
  { organizationID, hostID, now }: FindHostTraffic,
): Promise<HostTraffic | undefined> {
  const row = await db
    .selectFrom("hosts")
    .leftJoin("host_traffic", "host_traffic.host_id", "hosts.id")
    .select(["newest_bucket", "reported_at"])
    .select(BUCKET_COLUMNS)
    .where("hosts.organization_id", "=", organizationID)
    .where("hosts.id", "=", hostID)
    .executeTakeFirst();
  if (!row) return undefined;
  const unroll = (buckets: Traffic["received"] | null) =>
    unrollTraffic(buckets ?? [], row.newest_bucket ?? 0, now);
  return {
    hostID,
    startsAt: trafficStart(now).toISOString(),
    bucketSeconds: TRAFFIC_BUCKET_SECONDS,
    receivedBytes: unroll(row.received),
    sentBytes: unroll(row.sent),
    reportedAt: row.reported_at?.toISOString() ?? null,
  };
}
