/** Hosts that run another configuration than they should. */
import { sql } from "kysely";
import { MINUTE_MS, SECOND_MS } from "../../infrastructure/time/durations.ts";
import type { Condition } from "./condition.ts";
import {
  addSubjects,
  deleteUnmonitoredHosts,
  isKnown,
  isMonitored,
  reportDue,
  selectHosts,
} from "./subjects.ts";

export const hostOutOfSync: Condition = {
  start: ({ active_from }) => ({ checked_until: active_from, resumed_at: active_from }),
  find: async (check) => {
    const { rule, now } = check;
    const reportAt = sql`${now}::timestamptz
      + make_interval(secs => ${((rule.threshold_minutes ?? 0) * MINUTE_MS) / SECOND_MS})`;
    await addSubjects(
      check,
      sql`select hosts.id, ${now}::timestamptz, ${reportAt} from hosts
        where is_drifted and ${isMonitored(check)} and not ${isKnown(check, sql`hosts.id`)}`,
    );
    return now;
  },
  report: (check) =>
    selectHosts(
      check,
      reportDue(check),
      ({ name, network_name }) => `${name} (${network_name}) runs another configuration than it should.`,
    ),
  resolve: async (check) => {
    await deleteUnmonitoredHosts(check);
    await sql`
      update notification_subjects set resolved_at = ${check.now} from hosts
        where rule_id = ${check.rule.id} and resolved_at is null and hosts.id = subject_id and not is_drifted`.execute(
      check.tx,
    );
    return { count: 0, items: [] };
  },
};
