/** Simulates what agents report about their tunnels. */
import { runStatement } from "./database.ts";

export interface ReportedTunnel {
  vpnIp: string;
  remoteAddress: string | null;
  relays: readonly string[];
}

/** Replaces the report of a host. */
export async function reportTunnels(
  dataDir: string,
  hostID: string,
  tunnels: readonly ReportedTunnel[],
): Promise<void> {
  await runStatement(
    dataDir,
    `insert into host_reports (host_id, organization_id, config_hash, applied_at, tunnels, reported_at)
       select id, organization_id, '0', now(), $2, now() from hosts where id = $1
       on conflict (host_id) do update set tunnels = excluded.tunnels, reported_at = excluded.reported_at`,
    [hostID, JSON.stringify(tunnels)],
  );
}
