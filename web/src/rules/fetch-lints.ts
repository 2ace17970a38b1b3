import { lintRules, type BodyInputOf, type RuleLint } from "@lightkeeper/contract";
import { api } from "../lib/api.ts";
import { ruleTraffic } from "./rule-sentence.tsx";
import { isIncomplete, rangesOf, toRouteRules, toRules, type RuleValues } from "./rule-values.ts";

/** The rules of a form, which may be incomplete. */
export interface LintDraft {
  type: BodyInputOf<typeof lintRules>["type"];
  /** Only routes have subnets. */
  subnets: readonly string[];
  rules: readonly RuleValues[];
}

/** A lint of a rule in a form. */
export type DraftLint = RuleLint & {
  /** What the rule allows that covers this one, if it is a single rule: "TCP 22". */
  coverTraffic?: string;
};

/** The lints of the rules that are complete. Their indexes are those of the draft. */
export async function fetchLints(
  { type, subnets, rules }: LintDraft,
  signal: AbortSignal,
): Promise<DraftLint[]> {
  const indexes = [...rules.keys()].filter((index) => isSendable(rules[index]!));
  if (indexes.length === 0) return [];
  const sent = indexes.map((index) => rules[index]!);
  const body: BodyInputOf<typeof lintRules> =
    type === "route"
      ? { type, subnets: [...subnets], firewallRules: toRouteRules(sent) }
      : { type, firewallRules: toRules(sent) };
  const { lints } = await api(lintRules, { body, signal });
  const indexOf = (position: number) => indexes[position] ?? position;
  return lints.map((lint) => {
    const index = indexOf(lint.index);
    if (lint.kind !== "covered") return { ...lint, index };
    const [cover, ...others] = lint.by.map(indexOf).flatMap((position) => rules[position] ?? []);
    const isSingle = cover !== undefined && others.length === 0;
    return {
      ...lint,
      index,
      by: lint.by.map(indexOf),
      ...(isSingle && { coverTraffic: ruleTraffic(cover) }),
    };
  });
}

/** A list of ports becomes several rules when the field loses the focus. */
const isSendable = (rule: RuleValues) => !isIncomplete(rule) && rangesOf(rule).length === 1;
