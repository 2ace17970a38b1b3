import { sql } from "kysely";
import { type AttentionSources, type FindItems, toNetworkObject } from "./item.ts";

/** As the guarantee monitor has recorded: evaluating guarantees takes longer than this request may. */
export const findFailingGuarantees: FindItems = async (sources) =>
  (await listFailing(sources)).map(({ id, description, failing_since, host_count, network_id }) => {
    const network = sources.networks.find((each) => each.id === network_id);
    return {
      severity: "CRITICAL",
      objects: [{ type: "guarantee", id, name: description }, ...(network ? [toNetworkObject(network)] : [])],
      hostCount: host_count,
      since: failing_since?.toISOString() ?? null,
      expiresAt: null,
    };
  });

/** The hosts that the guarantee is about: its destination, or the source of one about a subnet. */
const selector = sql`case when destination ->> 'type' = 'subnet' then source else destination end`;

const hostCount = sql<number>`(
  select case selector ->> 'type' when 'host' then 1 else (
    select coalesce(sum(count), 0) from host_counts counts
    where counts.organization_id = guarantees.organization_id and not counts.is_blocked
      and counts.tag = case selector ->> 'type' when 'tag' then selector ->> 'id' else '' end
      and (selector ->> 'type' <> 'role' or counts.role_id = selector ->> 'id')
      and (guarantees.network_id is null or counts.network_id = guarantees.network_id)
  ) end from (select ${selector} as selector) selected)`;

function listFailing({ db, request: { organizationID, networkID, now } }: AttentionSources) {
  const failing = db
    .selectFrom("guarantees")
    .select(["id", "description", "failing_since", "network_id", hostCount.as("host_count")])
    .where("organization_id", "=", organizationID)
    .where("failing_since", "is not", null)
    .where((eb) => eb.or([eb("suspended_until", "is", null), eb("suspended_until", "<=", now)]));
  if (!networkID) return failing.execute();
  return failing
    .where((eb) => eb.or([eb("network_id", "is", null), eb("network_id", "=", networkID)]))
    .execute();
}
