import type { GetStarted } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";

/** In larger organizations, only the first hosts are checked. */
const HOSTS_MAX = 1000;

export async function findProgress(db: Reader, organizationID: string): Promise<GetStarted> {
  const sum = (condition: string) =>
    sql<number>`coalesce(sum(count) filter (where ${sql.raw(condition)}), 0)`;
  const { networks, lighthouses, enrolledLighthouses, enrolledHosts } = await db
    .selectFrom("host_counts")
    .select((eb) => [
      eb
        .exists(
          eb
            .selectFrom("networks")
            .select("networks.id")
            .where("networks.organization_id", "=", organizationID),
        )
        .as("networks"),
      sum("is_lighthouse").as("lighthouses"),
      sum("is_lighthouse and is_enrolled and not is_blocked").as("enrolledLighthouses"),
      sum("not is_lighthouse and is_enrolled and not is_blocked").as("enrolledHosts"),
    ])
    .where("organization_id", "=", organizationID)
    .where("tag", "=", "")
    .executeTakeFirstOrThrow();
  return {
    hasNetwork: Boolean(networks),
    hasLighthouse: lighthouses > 0,
    hasEnrolledLighthouse: enrolledLighthouses > 0,
    enrolledHostCount: enrolledHosts,
    hasTunnel: enrolledHosts > 1 && (await hasTunnel(db, organizationID)),
  };
}

/** Compares addresses as text, because a host may report invalid ones. */
async function hasTunnel(db: Reader, organizationID: string): Promise<boolean> {
  const enrolledHosts = db
    .selectFrom("hosts")
    .select(["id", "network_id", sql<string[]>`array[host(ip_address), host(ipv6_address)]`.as("addresses")])
    .where("organization_id", "=", organizationID)
    .where("is_lighthouse", "=", false)
    .where("is_enrolled", "=", true)
    .where("is_blocked", "=", false)
    .orderBy("created_at")
    .orderBy("id")
    .limit(HOSTS_MAX);
  const found = await db
    .selectFrom(enrolledHosts.as("host"))
    .innerJoin("host_reports", "host_reports.host_id", "host.id")
    .innerJoinLateral(
      sql<{ address: string }>`(select "vpnIp" as address
        from jsonb_to_recordset(host_reports.tunnels) as reported ("vpnIp" text))`.as("tunnel"),
      (join) => join.onTrue(),
    )
    .innerJoin(enrolledHosts.as("peer"), (join) =>
      join
        .onRef("peer.network_id", "=", "host.network_id")
        .on(sql<boolean>`tunnel.address = any(peer.addresses)`)
        .onRef("peer.id", "!=", "host.id"),
    )
    .select("host.id")
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
