/** The cost of storing the traffic in a report. Simulated agents report none, so this process stores it like the server. */
import { TRAFFIC_BUCKETS } from "@lightkeeper/contract";
import { storeTraffic } from "@lightkeeper/server/seeds";
import { STATUS_INTERVAL_SECONDS } from "@lightkeeper/contract/agent";
import type { FleetSystem } from "../fleet-system.ts";
import type { Cost } from "./capacity-model.ts";
import type { Usage } from "./resource-usage.ts";

const HOSTS = 500;
/** Reports that a busy server stores in one statement. */
const BATCH = 50;
const ROUNDS = 4;
const BYTES_PER_REPORT = 1_234_567;
const START_MS = Date.UTC(2026, 0);

interface HostRow {
  host_id: string;
  organization_id: string;
}

/** Stores one report of each host, `round` intervals after the first. */
async function storeRound({ ctx }: FleetSystem, hosts: readonly HostRow[], round: number): Promise<void> {
  const reported_at = new Date(START_MS + round * STATUS_INTERVAL_SECONDS * 1000);
  const bytes = (round + 1) * BYTES_PER_REPORT;
  for (let start = 0; start < hosts.length; start += BATCH) {
    const traffic = { receivedBytes: bytes, sentBytes: 2 * bytes };
    const reports = hosts.slice(start, start + BATCH).map((host) => ({ ...host, traffic, reported_at }));
    await storeTraffic(ctx.unaudited, reports);
  }
}

export async function measureTraffic(
  system: FleetSystem,
  measureUsage: (work: () => Promise<unknown>) => Promise<Usage>,
): Promise<Cost> {
  const hosts = await system.query<HostRow>(
    `select id as host_id, organization_id from hosts where name like 'agent-%' order by id limit ${HOSTS}`,
  );
  await storeRound(system, hosts, 0);
  // After a day, every bucket has a number.
  await system.query(
    `update host_traffic set received = filled.numbers, sent = filled.numbers
      from (select array_agg((random() * 1e9)::bigint) as numbers from generate_series(1, ${TRAFFIC_BUCKETS})) filled`,
  );
  await system.query("vacuum host_traffic");
  let own = { user: 0, system: 0 };
  const usage = await measureUsage(async () => {
    const before = process.cpuUsage();
    for (let round = 1; round <= ROUNDS; round++) await storeRound(system, hosts, round);
    own = process.cpuUsage(before);
  });
  const count = ROUNDS * hosts.length;
  return {
    serverMs: (own.user + own.system) / 1000 / count,
    databaseMs: (1000 * usage.databaseSeconds) / count,
    walBytes: usage.walBytes / count,
  };
}
