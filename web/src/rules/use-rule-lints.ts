import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useWatch } from "react-hook-form";
import { areSame } from "../lib/same-values.ts";
import { useSettledValue } from "../on-demand/use-settled-value.ts";
import { fetchLints, type DraftLint, type LintDraft } from "./fetch-lints.ts";
import { selectRelevant } from "./lint-values.ts";
import type { WithRules } from "./rule-values.ts";

const LINT_DELAY_MS = 400;

/** The server announces every change of rules and hosts as a change of hosts. */
const lintKey = (draft: LintDraft) => ["hosts", "lint", draft] as const;

/** The lints of a rule, by its index; undefined if there are none or if they may be outdated. */
export type LintsOf = (index: number) => readonly DraftLint[] | undefined;

/** Checks the rules of the form while they change. A failed check shows nothing: hints are optional. */
export function useRuleLints(type: LintDraft["type"], subnets: readonly string[] = []): LintsOf {
  const rules = useWatch<WithRules, "firewallRules">({ name: "firewallRules" });
  const draft: LintDraft = { type, subnets, rules };
  const settled = useSettledValue(draft, LINT_DELAY_MS) ?? draft;
  const { data } = useQuery({
    queryKey: lintKey(settled),
    queryFn: async ({ signal }) => ({ draft: settled, lints: await fetchLints(settled, signal) }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const lintsByRule = useMemo(() => groupByRule(data?.lints ?? []), [data]);
  const isSame = (index: number) => areSame(data?.draft.rules[index], rules[index]);
  return (index) => {
    const lints = lintsByRule.get(index);
    const isCurrent =
      lints !== undefined &&
      areSame(data?.draft.subnets, subnets) &&
      isSame(index) &&
      lints.every((lint) => lint.kind !== "covered" || lint.by.every(isSame));
    return isCurrent ? lints : undefined;
  };
}

function groupByRule(lints: readonly DraftLint[]): ReadonlyMap<number, readonly DraftLint[]> {
  const groups = new Map<number, DraftLint[]>();
  for (const lint of lints) groups.set(lint.index, [...(groups.get(lint.index) ?? []), lint]);
  return new Map([...groups].map(([index, group]) => [index, selectRelevant(group)]));
}
