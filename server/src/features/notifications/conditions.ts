/**
 * Finds hosts and CAs to which a rule's condition applies, or no longer applies. One transaction per rule records what
 * was found, with the events, so that each is reported once, whichever process is killed.
 */
import { sql } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import { MINUTE_MS, SECOND_MS } from "../../infrastructure/time/durations.ts";
import { agentUpdate } from "./agent-update.ts";
import type { CheckedRule, Condition, Found, RuleCheck } from "./condition.ts";
import { caExpiry, certificateExpiry } from "./expiry.ts";
import { hostOffline } from "./host-offline.ts";
import { hostOutOfSync } from "./host-out-of-sync.ts";
import { recordEvent } from "./record-event.ts";
import { deleteSubjects, forgetSubjects } from "./subjects.ts";

const conditions: Partial<Record<string, Condition>> = {
  HOST_OFFLINE: hostOffline,
  HOST_ONLINE: hostOffline,
  HOST_OUT_OF_SYNC: hostOutOfSync,
  CERTIFICATE_EXPIRING: certificateExpiry,
  CA_EXPIRING: caExpiry,
  AGENT_UPDATE_AVAILABLE: agentUpdate,
};

/** A shorter interval would only cost; a longer one would delay messages. */
const FREQUENT_MS = 4 * SECOND_MS;
const RARE_MS = 5 * MINUTE_MS;
const frequentTypes = ["HOST_OFFLINE", "HOST_ONLINE", "HOST_OUT_OF_SYNC"];
const rareTypes = Object.keys(conditions).filter((type) => !frequentTypes.includes(type));

/** If no process has checked a rule for this long, hosts had no server to call. */
const INTERRUPTED_MS = MINUTE_MS;

async function createStates(db: UnauditedWriter): Promise<void> {
  await sql`
    insert into notification_rule_states (rule_id, active_from, checked_until, checked_at, resumed_at)
      select id, to_timestamp(0), to_timestamp(0), to_timestamp(0), to_timestamp(0) from notification_rules
        where event_type = any(${Object.keys(conditions)}::text[])
          and not exists (select from notification_rule_states where rule_id = id)
      on conflict do nothing`.execute(db);
}

interface ClaimedRule extends CheckedRule {
  is_restarted: boolean;
  is_interrupted: boolean;
}

/**
 * Locks the state of a rule that is due, unless another process checks it. A deletion locks the organization or the rule
 * before the state, so this locks all of them.
 */
async function claimRule(tx: UnauditedWriter, now: Date): Promise<ClaimedRule | undefined> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const { rows } = await sql<ClaimedRule>`
    select rules.*, states.checked_until, states.resumed_at,
        states.active_from <> rules.active_from as is_restarted,
        states.checked_at < ${before(INTERRUPTED_MS)} or states.checked_at > ${now} as is_interrupted
      from notification_rule_states states join notification_rules rules on rules.id = states.rule_id
      join organizations on organizations.id = rules.organization_id
      where is_enabled and (states.active_from <> rules.active_from or states.checked_at > ${now}
        or event_type = any(${frequentTypes}::text[]) and checked_at <= ${before(FREQUENT_MS)}
        or event_type = any(${rareTypes}::text[]) and checked_at <= ${before(RARE_MS)})
      order by checked_at limit 1
      for update of states skip locked for key share of rules, organizations skip locked`.execute(tx);
  return rows[0];
}

/** What the rule reports in this round. */
async function findEvents(condition: Condition, check: RuleCheck): Promise<Found & { checkedUntil: Date }> {
  const resolved = await condition.resolve(check);
  const checkedUntil = await condition.find(check);
  const reported = await condition.report(check);
  await forgetSubjects(check);
  return { ...(check.rule.event_type === "HOST_ONLINE" ? resolved : reported), checkedUntil };
}

/** Checks one rule that is due; returns whether there was one. */
async function checkRule(ctx: Context, now: Date): Promise<boolean> {
  return ctx.unaudited.transaction().execute(async (tx) => {
    const claimed = await claimRule(tx, now);
    const condition = claimed && conditions[claimed.event_type];
    if (!condition) return false;
    if (claimed.is_restarted) await deleteSubjects(tx, claimed.id);
    const rule = {
      ...claimed,
      ...(claimed.is_restarted ? condition.start(claimed) : claimed.is_interrupted && { resumed_at: now }),
    };
    const { count, items, checkedUntil } = await findEvents(condition, { ctx, tx, rule, now });
    if (count > 0) await recordEvent(tx, rule, { count, items, now });
    await tx
      .updateTable("notification_rule_states")
      .set({
        active_from: rule.active_from,
        checked_until: checkedUntil,
        checked_at: now,
        resumed_at: rule.resumed_at,
      })
      .where("rule_id", "=", rule.id)
      .execute();
    return true;
  });
}

export async function detectConditions(ctx: Context, isStopped: () => boolean): Promise<void> {
  await createStates(ctx.unaudited);
  const now = ctx.clock();
  while (!isStopped() && (await checkRule(ctx, now)));
}
