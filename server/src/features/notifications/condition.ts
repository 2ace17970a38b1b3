import type { Context } from "../../infrastructure/context/context.ts";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import type { EventItem } from "../../infrastructure/db/notification-tables.ts";
import type { Rule } from "./record-event.ts";

export interface Found {
  count: number;
  /** The first ones. */
  items: EventItem[];
}

export interface CheckedRule extends Rule {
  /** Hosts that were last seen, or certificates that expire, before this time have been examined. */
  checked_until: Date;
  /** The first check after an interruption of all checks. */
  resumed_at: Date;
}

export interface RuleCheck {
  ctx: Pick<Context, "version">;
  tx: UnauditedWriter;
  rule: CheckedRule;
  now: Date;
}

/** A state of hosts or CAs that a rule is about. */
export interface Condition {
  /** Where the first check starts. */
  start: (rule: Rule) => Pick<CheckedRule, "checked_until" | "resumed_at">;
  /** Ends what no longer applies; returns the subjects that had been reported. */
  resolve: (check: RuleCheck) => Promise<Found>;
  /** Adds new subjects; returns up to which time everything has been examined. */
  find: (check: RuleCheck) => Promise<Date>;
  /** Marks the subjects that are due as reported, and returns them. */
  report: (check: RuleCheck) => Promise<Found>;
}
