/** The traffic of the last 24 hours, stored as if each host had reported it every 15 minutes. */
import { TRAFFIC_BUCKET_SECONDS, TRAFFIC_BUCKETS } from "@lightkeeper/contract";
import type { Context } from "@lightkeeper/server/app";
import { storeTraffic } from "@lightkeeper/server/seeds";
import type { DemoAgent } from "../agents/demo-agent.ts";
import { trafficAt } from "../agents/traffic.ts";

const BUCKET_MS = TRAFFIC_BUCKET_SECONDS * 1000;
const DAY_MS = 86_400_000;

interface TrafficHistory {
  organizationID: string;
  agents: readonly DemoAgent[];
  nowMs: number;
}

/** How long ago the host was last seen. */
function offlineMsOf({ host: { fate } }: DemoAgent): number {
  if (fate.kind === "offline") return fate.lastSeenDays * DAY_MS;
  return fate.kind === "blocked" ? fate.blockedDays * DAY_MS : 0;
}

export async function storeTrafficHistory(
  ctx: Context,
  { organizationID, agents, nowMs }: TrafficHistory,
): Promise<void> {
  for (let bucket = TRAFFIC_BUCKETS; bucket >= 0; bucket--) {
    const ageMs = bucket * BUCKET_MS;
    const reports = agents
      .filter((agent) => offlineMsOf(agent) <= ageMs)
      .map(({ hostID, key }) => ({
        host_id: hostID,
        organization_id: organizationID,
        traffic: trafficAt(key, nowMs - ageMs),
        reported_at: new Date(nowMs - ageMs),
      }));
    await storeTraffic(ctx.unaudited, reports);
  }
}
