/** Certificates of hosts, and signing CAs, that expire within as many days as the rule says. */
import { sql } from "kysely";
import type { EventItem } from "../../infrastructure/db/notification-tables.ts";
import { DAY_MS } from "../../infrastructure/time/durations.ts";
import type { Condition, RuleCheck } from "./condition.ts";
import { formatDate, ITEMS_MAX } from "./messages.ts";
import {
  addSubjects,
  deleteUnmonitoredHosts,
  isKnown,
  isMonitored,
  reportDue,
  selectHosts,
} from "./subjects.ts";

const nothing = { count: 0, items: [] };

const horizonOf = ({ rule, now }: RuleCheck) => new Date(now.getTime() + (rule.days ?? 0) * DAY_MS);

/** What has already expired isn't news. */
const start: Condition["start"] = ({ active_from }) => ({
  checked_until: active_from,
  resumed_at: active_from,
});

/** The certificate of a person's device always expires with the sign-in. */
export const certificateExpiry: Condition = {
  start,
  find: async (check) => {
    const { rule, now } = check;
    const horizon = horizonOf(check);
    await addSubjects(
      check,
      sql`select hosts.id, ${now}::timestamptz, ${now}::timestamptz from hosts
        where certificate_expires_at > ${rule.checked_until} and certificate_expires_at <= ${horizon}
          and not has_endpoint_user and ${isMonitored(check)} and not ${isKnown(check, sql`hosts.id`)}`,
    );
    return horizon;
  },
  report: (check) =>
    selectHosts(
      check,
      reportDue(check),
      ({ name, network_name, certificate_expires_at }, now) =>
        `The certificate of ${name} (${network_name}) expires on ${formatDate(certificate_expires_at ?? now)}.`,
    ),
  resolve: async (check) => {
    await deleteUnmonitoredHosts(check);
    await sql`
      update notification_subjects set resolved_at = ${check.now} from hosts
        where rule_id = ${check.rule.id} and resolved_at is null and hosts.id = subject_id
          and certificate_expires_at > ${horizonOf(check)}`.execute(check.tx);
    return nothing;
  },
};

interface ExpiringCa {
  id: string;
  name: string;
  not_after: Date;
  network_id: string;
  network_name: string;
}

export const caExpiry: Condition = {
  start,
  find: async (check) => {
    const { rule, now } = check;
    await addSubjects(
      check,
      sql`select id, ${now}::timestamptz, ${now}::timestamptz from certificate_authorities cas
        where organization_id = ${rule.organization_id} and state = 'SIGNING'
          and not_after > ${now} and not_after <= ${horizonOf(check)} and not ${isKnown(check, sql`cas.id`)}`,
    );
    return now;
  },
  report: async (check) => {
    const { rows } = await sql<ExpiringCa & { count: number }>`
      with subjects as (${reportDue(check)})
      select cas.id, cas.name, not_after, network_id, networks.name as network_name,
          (count(*) over ())::int as count
        from subjects join certificate_authorities cas on cas.id = subject_id
        join networks on networks.id = network_id
        order by cas.name limit ${sql.lit(ITEMS_MAX)}`.execute(check.tx);
    const items = rows.map((ca): EventItem => ({
      id: ca.id,
      name: ca.name,
      network: { id: ca.network_id, name: ca.network_name },
      text: `The CA ${ca.name} (${ca.network_name}) expires on ${formatDate(ca.not_after)}. Rotate it before.`,
      path: "/certificate-authorities",
      at: check.now.toISOString(),
    }));
    return { count: rows[0]?.count ?? 0, items };
  },
  resolve: async ({ tx, rule }) => {
    await sql`
      delete from notification_subjects where rule_id = ${rule.id} and not exists (
        select from certificate_authorities cas where cas.id = subject_id and state = 'SIGNING')`.execute(tx);
    return nothing;
  },
};
