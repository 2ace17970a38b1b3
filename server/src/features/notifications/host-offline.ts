/**
 * Hosts that have not called for as long as the rule says. Each round examines only the hosts whose last call is just
 * as long ago, which the index of `host_presence` finds, so that its cost doesn't depend on the number of hosts.
 */
import { sql } from "kysely";
import { MOBILE_AGENT_NAME } from "../../nouns/hosts/host-filters.ts";
import { MOBILE_OFFLINE_AFTER_MS } from "../../nouns/hosts/host-presence.service.ts";
import { MINUTE_MS, SECOND_MS } from "../../infrastructure/time/durations.ts";
import type { Condition, RuleCheck } from "./condition.ts";
import { formatDuration, formatTime } from "./messages.ts";
import type { Rule } from "./record-event.ts";
import {
  addSubjects,
  deleteUnmonitoredHosts,
  isKnown,
  isMonitored,
  reportDue,
  selectHosts,
} from "./subjects.ts";

/** Calls are written in batches, so that a last call may become known late. */
const WRITE_DELAY_MS = 2 * MINUTE_MS;
/**
 * Agents call once per minute, so hosts that go offline together called last within a minute. When one is reported, so
 * are the others.
 */
const TOGETHER_MS = MINUTE_MS;

const thresholdMs = ({ threshold_minutes }: Rule) => (threshold_minutes ?? 0) * MINUTE_MS;

function silentHosts(check: RuleCheck, until: Date) {
  const { rule } = check;
  const start = rule.active_from.getTime() - thresholdMs(rule);
  const from = new Date(Math.max(rule.checked_until.getTime() - WRITE_DELAY_MS, start));
  return sql`
    from host_presence join hosts on hosts.id = host_id
    where host_presence.organization_id = ${rule.organization_id}
      and last_seen_at > ${from} and last_seen_at <= ${until}
      and ${isMonitored(check)} and not ${isKnown(check, sql`hosts.id`)}`;
}

async function findSilentHosts(check: RuleCheck): Promise<Date> {
  const { tx, rule, now } = check;
  const limit = new Date(now.getTime() - thresholdMs(rule));
  // While no server was running, no host could call.
  if (rule.resumed_at > limit) return rule.checked_until;
  const { rows } = await sql`select ${silentHosts(check, limit)} limit 1`.execute(tx);
  if (rows.length > 0) {
    const reportAt = sql`case when agent_name = ${MOBILE_AGENT_NAME}
      then last_seen_at + make_interval(secs => ${MOBILE_OFFLINE_AFTER_MS / SECOND_MS}) else ${now}::timestamptz end`;
    const until = new Date(limit.getTime() + TOGETHER_MS);
    await addSubjects(check, sql`select hosts.id, last_seen_at, ${reportAt} ${silentHosts(check, until)}`);
  }
  return limit;
}

export const hostOffline: Condition = {
  start: (rule) => {
    const from = new Date(rule.active_from.getTime() - thresholdMs(rule));
    return { checked_until: from, resumed_at: from };
  },
  find: findSilentHosts,
  report: (check) =>
    selectHosts(
      check,
      reportDue(check),
      ({ name, network_name, since }) =>
        `${name} (${network_name}) went offline. Last seen ${formatTime(since)}.`,
    ),
  resolve: async (check) => {
    await deleteUnmonitoredHosts(check);
    const { rule, now } = check;
    // The condition has to be in the result, because a subquery can't contain an update.
    const returned = sql`
      update notification_subjects subject set resolved_at = ${now} from host_presence
        where rule_id = ${rule.id} and resolved_at is null and host_id = subject_id and last_seen_at > since
        returning case when reported_at >= since then subject_id end as subject_id, since`;
    return selectHosts(
      check,
      returned,
      ({ name, network_name, since }, at) =>
        `${name} (${network_name}) is back online after ${formatDuration(at.getTime() - since.getTime())}.`,
    );
  },
};
