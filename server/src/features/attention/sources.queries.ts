/** What most items and all counts are computed from, in two statements. */
import type { HostFilter, HostHealth } from "@lightkeeper/contract";
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import { hostConditions, sharedConditions } from "../../nouns/hosts/host-filters.ts";

export interface AttentionRequest {
  organizationID: string;
  networkID: string | undefined;
  /** Which hosts are counted. */
  kind: Pick<HostFilter, "isLighthouse" | "isRelay">;
  /** The newest version of the agent. */
  agentVersion: string;
  now: Date;
}

/** All counts except that of expiring certificates, which `host_counts` has no column for. */
const countFilters = {
  online: { status: "online" },
  offline: { status: "offline" },
  neverEnrolled: { status: "neverEnrolled" },
  blocked: { status: "blocked" },
  drifted: { status: "drifted" },
  updateAvailable: { "metadata.updateAvailable": true },
} as const satisfies Partial<Record<keyof HostHealth, HostFilter>>;

type CountName = keyof typeof countFilters;
const countNames = Object.keys(countFilters) as CountName[];

export interface NetworkState extends Record<CountName, number> {
  id: string;
  name: string;
  caID: string;
  caName: string;
  caExpiresAt: Date;
  /** When the current step of a CA rotation started; null without a rotation. */
  rotationStepStartedAt: Date | null;
  /** Enrolled hosts that are neither lighthouses nor blocked. */
  enrolledHosts: number;
  onlineLighthouses: number;
}

const matchesAll = (conditions: readonly RawBuilder<SqlBool>[]) =>
  sql<SqlBool>`(${sql.join([sql`true`, ...conditions], sql` and `)})`;

const sumWhere = (condition: RawBuilder<SqlBool>) =>
  sql<number>`coalesce(sum(host_counts.count) filter (where ${condition}), 0)`;

/** Every network of the request. */
export function listNetworkStates(db: Reader, request: AttentionRequest): Promise<NetworkState[]> {
  const { organizationID, networkID, kind, agentVersion } = request;
  const count = (filter: HostFilter) =>
    sumWhere(matchesAll(sharedConditions("host_counts", { ...kind, ...filter }, agentVersion)));
  let networks = db
    .selectFrom("networks")
    .innerJoin("certificate_authorities as ca", "ca.id", "networks.signing_ca_id")
    .leftJoin("ca_rotations as rotation", (join) =>
      join.onRef("rotation.network_id", "=", "networks.id").on("rotation.step", "!=", "DONE"),
    )
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("host_counts")
          .select([
            ...countNames.map((name) => count(countFilters[name]).as(name)),
            sumWhere(sql`is_enrolled and not is_lighthouse and not is_blocked`).as("enrolledHosts"),
            sumWhere(sql`is_lighthouse and is_online`).as("onlineLighthouses"),
          ])
          .where("host_counts.organization_id", "=", organizationID)
          .where("host_counts.tag", "=", "")
          .whereRef("host_counts.network_id", "=", "networks.id")
          .as("counts"),
      (join) => join.onTrue(),
    )
    .selectAll("counts")
    .select([
      "networks.id",
      "networks.name",
      "ca.id as caID",
      "ca.name as caName",
      "ca.not_after as caExpiresAt",
      "rotation.step_started_at as rotationStepStartedAt",
    ])
    .where("networks.organization_id", "=", organizationID);
  if (networkID) networks = networks.where("networks.id", "=", networkID);
  return networks.execute();
}

export interface ExpiringHosts {
  /** How many hosts of the requested kind have a certificate that expires soon. */
  count: number;
  /** How many hosts should have renewed theirs. Devices that a person has signed in don't renew automatically. */
  overdue: number;
  firstOverdueExpiresAt: Date | null;
}

const isOverdue = sql<SqlBool>`not hosts.has_endpoint_user`;

function selectExpiring(db: Reader, { organizationID, networkID, now }: AttentionRequest) {
  let hosts = db.selectFrom("hosts").where("hosts.organization_id", "=", organizationID);
  if (networkID) hosts = hosts.where("hosts.network_id", "=", networkID);
  for (const condition of hostConditions({ status: "expiring" }, now)) hosts = hosts.where(condition);
  return hosts;
}

export function countExpiringHosts(db: Reader, request: AttentionRequest): Promise<ExpiringHosts> {
  const ofKind = matchesAll(sharedConditions("hosts", request.kind, request.agentVersion));
  return selectExpiring(db, request)
    .select([
      sql<number>`count(*) filter (where ${ofKind})`.as("count"),
      sql<number>`count(*) filter (where ${isOverdue})`.as("overdue"),
      sql<Date | null>`min(hosts.certificate_expires_at) filter (where ${isOverdue})`.as(
        "firstOverdueExpiresAt",
      ),
    ])
    .executeTakeFirstOrThrow();
}

/** Those whose certificate expires first. */
export const listOverdueHosts = (db: Reader, request: AttentionRequest, limit: number) =>
  selectExpiring(db, request)
    .select(["hosts.id", "hosts.name"])
    .where(isOverdue)
    .orderBy("hosts.certificate_expires_at")
    .orderBy("hosts.id")
    .limit(limit)
    .execute();

/** The sums over the networks. */
export function sumHealth(networks: readonly NetworkState[], { count }: ExpiringHosts): HostHealth {
  const sum = (name: CountName) => networks.reduce((total, network) => total + network[name], 0);
  return {
    online: sum("online"),
    offline: sum("offline"),
    neverEnrolled: sum("neverEnrolled"),
    blocked: sum("blocked"),
    drifted: sum("drifted"),
    expiring: count,
    updateAvailable: sum("updateAvailable"),
  };
}
