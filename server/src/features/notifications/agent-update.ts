/** A new version of the agent, which is reported once. */
import { sql } from "kysely";
import { AGENT_NAME } from "../../nouns/hosts/host-filters.ts";
import { compareVersions } from "../downloads/versions.ts";
import type { Condition, RuleCheck } from "./condition.ts";
import { formatNumber } from "./messages.ts";
import { addSubjects, reportDue } from "./subjects.ts";

/** While servers are upgraded one after the other, some hosts already run a newer agent. */
async function countOutdated({ ctx, tx, rule }: RuleCheck): Promise<number> {
  const { rows } = await sql<{ version: string; count: number }>`
    select agent_version as version, sum(count)::int as count from host_counts
      where organization_id = ${rule.organization_id} and tag = '' and agent_name = ${AGENT_NAME}
        and agent_version <> ${ctx.version} and is_enrolled and not is_blocked
      group by 1`.execute(tx);
  const outdated = rows.filter(({ version }) => !(compareVersions(version, ctx.version) > 0));
  return outdated.reduce((sum, { count }) => sum + count, 0);
}

export const agentUpdate: Condition = {
  start: ({ active_from }) => ({ checked_until: active_from, resumed_at: active_from }),
  find: async (check) => {
    const { ctx, now } = check;
    if ((await countOutdated(check)) > 0)
      await addSubjects(check, sql`select ${ctx.version}::text, ${now}::timestamptz, ${now}::timestamptz`);
    return now;
  },
  report: async (check) => {
    const { rows } = await sql<{ subject_id: string }>`
      with subjects as (${reportDue(check)}) select subject_id from subjects`.execute(check.tx);
    if (rows.length === 0) return { count: 0, items: [] };
    const count = await countOutdated(check);
    const { version } = check.ctx;
    const hosts = count === 1 ? "1 host runs" : `${formatNumber(count)} hosts run`;
    const item = {
      id: version,
      name: version,
      network: null,
      text: `Agent ${version} is available. ${hosts} an older version.`,
      path: "/hosts?filter.metadata.updateAvailable=true",
      at: check.now.toISOString(),
    };
    return { count: 1, items: [item] };
  },
  resolve: () => Promise.resolve({ count: 0, items: [] }),
};
