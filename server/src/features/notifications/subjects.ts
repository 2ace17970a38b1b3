/** The hosts and CAs to which a rule's condition applies, and which of them were reported. */
import { type RawBuilder, sql } from "kysely";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import type { EventItem } from "../../infrastructure/db/notification-tables.ts";
import { MINUTE_MS, SECOND_MS } from "../../infrastructure/time/durations.ts";
import type { Found, RuleCheck } from "./condition.ts";
import { ITEMS_MAX } from "./messages.ts";

/** A host that keeps coming and going is reported once in this time. */
const REPEAT_MS = 15 * MINUTE_MS;

export async function deleteSubjects(tx: UnauditedWriter, ruleID: string): Promise<void> {
  await tx.deleteFrom("notification_subjects").where("rule_id", "=", ruleID).execute();
}

/** `found` selects the ID, since when the condition applies, and when to report it. */
export async function addSubjects({ tx, rule }: RuleCheck, found: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into notification_subjects (rule_id, subject_id, since, report_at)
      select ${rule.id}, found.* from (${found}) found (subject_id, since, report_at)
    on conflict (rule_id, subject_id) do update
      set since = excluded.since, resolved_at = null, report_at = greatest(excluded.report_at,
        notification_subjects.reported_at + make_interval(secs => ${REPEAT_MS / SECOND_MS}))
      where notification_subjects.resolved_at is not null`.execute(tx);
}

/** Whether the rule already knows that the condition applies to the subject. */
export const isKnown = ({ rule }: RuleCheck, id: RawBuilder<unknown>): RawBuilder<boolean> => sql`exists (
  select from notification_subjects known
    where known.rule_id = ${rule.id} and known.subject_id = ${id} and known.resolved_at is null)`;

/** A subquery that marks what is due as reported. Earlier reports were about an earlier time. */
export const reportDue = ({ rule, now }: RuleCheck) => sql`
  update notification_subjects set reported_at = ${now}
    where rule_id = ${rule.id} and resolved_at is null and report_at <= ${now}
      and (reported_at is null or reported_at < since)
    returning subject_id, since`;

/** Deletes what ended so long ago that a repetition would be reported. */
export async function forgetSubjects({ tx, rule, now }: RuleCheck): Promise<void> {
  await tx
    .deleteFrom("notification_subjects")
    .where("rule_id", "=", rule.id)
    .where("resolved_at", "is not", null)
    .where((eb) =>
      eb.or([eb("reported_at", "is", null), eb("reported_at", "<=", new Date(now.getTime() - REPEAT_MS))]),
    )
    .execute();
}

export interface HostSubject {
  id: string;
  name: string;
  network_id: string;
  network_name: string;
  since: Date;
  certificate_expires_at: Date | null;
}

/** The hosts among the subjects that a subquery returns, with their number. */
export async function selectHosts(
  { tx, now }: RuleCheck,
  subjects: RawBuilder<unknown>,
  describe: (host: HostSubject, now: Date) => string,
): Promise<Found> {
  const { rows } = await sql<HostSubject & { count: number }>`
    with subjects as (${subjects})
    select hosts.id, hosts.name, network_id, networks.name as network_name, since, certificate_expires_at,
        (count(*) over ())::int as count
      from subjects join hosts on hosts.id = subject_id join networks on networks.id = network_id
      order by name_key, hosts.id limit ${sql.lit(ITEMS_MAX)}`.execute(tx);
  const items = rows.map((host): EventItem => ({
    id: host.id,
    name: host.name,
    network: { id: host.network_id, name: host.network_name },
    text: describe(host, now),
    path: `/hosts/${host.id}`,
    at: now.toISOString(),
  }));
  return { count: rows[0]?.count ?? 0, items };
}

/** Blocked, deleted and never enrolled hosts are not monitored. */
export const isMonitored = ({ rule }: RuleCheck): RawBuilder<boolean> => sql`
  hosts.organization_id = ${rule.organization_id} and hosts.is_enrolled and not hosts.is_blocked
    and hosts.tags @> ${rule.tags}::text[]
    and (cardinality(${rule.role_ids}::text[]) = 0 or hosts.role_id = any(${rule.role_ids}::text[]))`;

export async function deleteUnmonitoredHosts({ tx, rule }: RuleCheck): Promise<void> {
  await sql`
    delete from notification_subjects where rule_id = ${rule.id} and not exists (
      select from hosts where hosts.id = subject_id and is_enrolled and not is_blocked)`.execute(tx);
}
