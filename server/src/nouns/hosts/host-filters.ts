/**
 * Filters as conditions. Most apply to rows of `hosts`, `host_counts` and `host_tag_set_counts` alike, so that a list
 * and its count can't differ.
 */
import { type HostFilter, type HostStatus, hostStatuses } from "@lightkeeper/contract";
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { DAY_SECONDS } from "../../infrastructure/time/durations.ts";

/** The name of this product's agent in its user agent. */
export const AGENT_NAME = "lightkeeper-agent";
/** The name of all clients on phones. */
export const MOBILE_AGENT_NAME = "mobile";
export const EXPIRING_DAYS = 30;
/** In seconds: a day of PostgreSQL has 23 or 25 hours when clocks change. */
const EXPIRING_TIME = sql`${sql.lit(EXPIRING_DAYS * DAY_SECONDS)} * interval '1 second'`;

type Condition = RawBuilder<SqlBool>;

/** All conditions except the network and the tags. An agent with another version than `newest` has an update. */
export function sharedConditions(
  table: "hosts" | "host_counts" | "host_tag_set_counts",
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

export const hasTags = (table: "hosts" | "host_tag_set_counts", tags: readonly string[]): Condition =>
  sql`${sql.ref(`${table}.tags`)} @> ${tags}::text[]`;

/** Conditions that the tables of counts have no column for. */
export function hostConditions({ endpointOIDCUserID, status }: HostFilter, now: Date): Condition[] {
  const conditions: Condition[] = [];
  if (endpointOIDCUserID && endpointOIDCUserID !== "any" && endpointOIDCUserID !== "null")
    conditions.push(sql`hosts.endpoint_oidc_user_id = ${endpointOIDCUserID}`);
  if (status === "expiring") conditions.push(isExpiring(now));
  return conditions;
}

function isExpiring(now: Date): Condition {
  const soon = sql`${now}::timestamptz + ${EXPIRING_TIME}`;
  return sql`hosts.certificate_expires_at <= ${soon} and not hosts.is_blocked`;
}

/** The statuses of a host, with the same conditions as the filter by status. */
export function statusesOf(now: Date): RawBuilder<HostStatus[]> {
  const column = (name: string) => sql.ref(`hosts.${name}`);
  const names = hostStatuses.map((status) => {
    const condition = status === "expiring" ? isExpiring(now) : ofStatus(status, column);
    return sql`case when ${condition} then ${sql.lit(status)} end`;
  });
  return sql`array_remove(array[${sql.join(names)}], null)`;
}

type Column = RawBuilder<unknown>;

/** The column or its negation, as in the conditions of the partial indexes. */
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

/** In the public API, every agent except the mobile one is "dnclient". */
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
  // Two ranges can use an index; "<>" can't.
  const outdated = sql<SqlBool>`${agentName} = ${AGENT_NAME} and (${agentVersion} < ${newest} or ${agentVersion} > ${newest})`;
  return update ? outdated : sql`${agentName} is not null and not (${outdated})`;
}
