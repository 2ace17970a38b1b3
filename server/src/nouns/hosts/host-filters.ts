/**
 * Filters as conditions. Most hold for a host's row and for a row of `host_counts` alike, so that a list and
 * the count behind it cannot differ.
 */
import { type HostFilter, type HostStatus, hostStatuses } from "@lightkeeper/contract";
import { type RawBuilder, sql, type SqlBool } from "kysely";

/** The agent of this product, by the name it gives itself. */
export const AGENT_NAME = "lightkeeper-agent";
export const MOBILE_AGENT_NAME = "mobile";
const EXPIRING_DAYS = 30;
const DAY_MS = 86_400_000;

type Condition = RawBuilder<SqlBool>;

/**
 * Everything but the network and the tags, which decide where to look. `newest`: the agent's newest version; whoever
 * runs another has an update waiting.
 */
export function sharedConditions(
  table: "hosts" | "host_counts",
  filter: HostFilter,
  newest: string,
): Condition[] {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const { roleID, status, endpointOIDCUserID, isBlocked, isLighthouse, isRelay } = filter;
  const platform = filter["metadata.platform"];
  const update = filter["metadata.updateAvailable"];
  const conditions: (Condition | undefined | false)[] = [
    roleID !== undefined && isID(column("role_id"), roleID),
    is(column("is_blocked"), isBlocked),
    is(column("is_lighthouse"), isLighthouse),
    is(column("is_relay"), isRelay),
    endpointOIDCUserID === "any" && is(column("has_endpoint_user"), true),
    endpointOIDCUserID === "null" && is(column("has_endpoint_user"), false),
    status && status !== "expiring" && ofStatus(status, column),
    filter["metadata.lastSeenAt"] && is(column("is_enrolled"), false),
    platform && ofPlatform(column("agent_name"), platform),
    update !== undefined && hasUpdate(column("agent_name"), column("agent_version"), { update, newest }),
  ];
  return conditions.filter((condition) => condition !== undefined && condition !== false);
}

/** Those that only a host itself can answer. */
export function hostConditions({ endpointOIDCUserID, status }: HostFilter, now: Date): Condition[] {
  const conditions: Condition[] = [];
  if (endpointOIDCUserID && endpointOIDCUserID !== "any" && endpointOIDCUserID !== "null")
    conditions.push(sql`hosts.endpoint_oidc_user_id = ${endpointOIDCUserID}`);
  if (status === "expiring") conditions.push(isExpiring(now));
  return conditions;
}

function isExpiring(now: Date): Condition {
  const soon = new Date(now.getTime() + EXPIRING_DAYS * DAY_MS);
  return sql`hosts.certificate_expires_at <= ${soon}::timestamptz and not hosts.is_blocked`;
}

/** All that are true of a host, by the conditions that the filter of that name has. */
export function statusesOf(now: Date): RawBuilder<HostStatus[]> {
  const column = (name: string) => sql.ref(`hosts.${name}`);
  const names = hostStatuses.map((status) => {
    const condition = status === "expiring" ? isExpiring(now) : ofStatus(status, column);
    return sql`case when ${condition} then ${sql.lit(status)} end`;
  });
  return sql`array_remove(array[${sql.join(names)}], null)`;
}

type Column = RawBuilder<unknown>;

/** The bare column or its negation: that is what the partial indexes are made of. */
function is(column: Column, wanted: boolean | undefined): Condition | undefined {
  if (wanted === undefined) return undefined;
  return wanted ? sql`${column}` : sql`not ${column}`;
}

function isID(column: Column, wanted: string): Condition {
  if (wanted === "any") return sql`${column} is not null`;
  if (wanted === "null") return sql`${column} is null`;
  return sql`${column} = ${wanted}`;
}

function ofStatus(status: Exclude<HostStatus, "expiring">, column: (name: string) => Column): Condition {
  const [isBlocked, isEnrolled, isOnline] = ["is_blocked", "is_enrolled", "is_online"].map(column);
  const conditions: Record<typeof status, Condition> = {
    blocked: sql`${isBlocked}`,
    online: sql`${isOnline}`,
    offline: sql`${isEnrolled} and not ${isOnline} and not ${isBlocked}`,
    neverEnrolled: sql`not ${isEnrolled} and not ${isBlocked}`,
    drifted: sql`${column("is_drifted")}`,
  };
  return conditions[status];
}

/** To the public API every agent that is not a phone's is "dnclient". */
function ofPlatform(agentName: Column, platform: "mobile" | "dnclient" | "null"): Condition {
  if (platform === "null") return sql`${agentName} is null`;
  return platform === "mobile"
    ? sql`${agentName} = ${MOBILE_AGENT_NAME}`
    : sql`${agentName} <> ${MOBILE_AGENT_NAME}`;
}

function hasUpdate(
  agentName: Column,
  agentVersion: Column,
  { update, newest }: { update: boolean; newest: string },
): Condition {
  // Two ranges, which an index can answer, rather than one "other than".
  const outdated = sql<SqlBool>`${agentName} = ${AGENT_NAME} and (${agentVersion} < ${newest} or ${agentVersion} > ${newest})`;
  return update ? outdated : sql`${agentName} is not null and not (${outdated})`;
}
