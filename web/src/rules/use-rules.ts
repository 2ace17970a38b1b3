import { useCallback, useEffect, useRef, useState } from "react";
import { useFieldArray, useFormContext } from "react-hook-form";
import { useLocation } from "react-router";
import { formatCount } from "../lib/format.ts";
import { areSame } from "../lib/same-values.ts";
import { useFocusOn } from "../ui/base/focus-on.ts";
import { startTimer } from "../ui/base/timer.ts";
import { readDraftRule } from "./draft-rule-values.ts";
import { ruleTraffic } from "./rule-sentence.tsx";
import { newRule, splitRule, type RuleValues, type WithRules } from "./rule-values.ts";

/** Marks the new rule as open until it has an ID. */
const ADDED = "added";

/** `split` turns a rule with a list of ports into several rules. */
export type RuleAction = "open" | "close" | "remove" | "split";

/** The list of rules, which one is open, and the focus after each action. */
export function useRules() {
  const form = useFormContext<WithRules>();
  const array = useFieldArray<WithRules, "firewallRules">({ name: "firewallRules" });
  const [open, setOpen] = useState<string>();
  const [announcement, setAnnouncement] = useState("");
  const { root, focusOn } = useFocusOn();
  const rows = array.fields.map(({ id }, index) => ({ id, index }));
  const last = rows.at(-1)?.id;
  if (open === ADDED && last !== undefined) setOpen(last);

  const actions: Record<RuleAction, (index: number) => void> = {
    open: (index) => {
      setOpen(rows[index]?.id);
    },
    close: (index) => {
      setOpen(undefined);
      focusOn(`[data-rule="${index}"]`);
    },
    remove: (index) => {
      setAnnouncement(`Rule ${ruleTraffic(form.getValues(`firewallRules.${index}`))} removed.`);
      array.remove(index);
      const next = Math.min(index, rows.length - 2);
      focusOn(next < 0 ? "[data-add]" : `[data-rule="${next}"]`);
    },
    split: (index) => {
      const [first, ...others] = splitRule(form.getValues(`firewallRules.${index}`));
      if (!first || others.length === 0) return;
      form.setValue(`firewallRules.${index}.ports`, first.ports, { shouldDirty: true });
      array.insert(index + 1, others, { shouldFocus: false });
      setAnnouncement(`${formatCount(others.length + 1, "rule")} created.`);
    },
  };
  function append() {
    array.append(newRule, { shouldFocus: false });
    setOpen(ADDED);
  }

  useDraftRule((rule) => array.append(rule, { shouldFocus: false }));

  return { rows, root, announcement, open, append, onAction: useStableHandler(actions) };
}

/** Adds the rule that another page proposes, unless the form has it: after saving, Back returns to this page. */
function useDraftRule(append: (rule: RuleValues) => void) {
  const form = useFormContext<WithRules>();
  const { state } = useLocation();
  const latestAppend = useRef(append);
  useEffect(() => {
    const rule = readDraftRule(state);
    if (!rule) return undefined;
    // The form, which mounts after its fields, wouldn't notice an immediate change.
    return startTimer(() => {
      const isPresent = form.getValues("firewallRules").some((present) => areSame(present, rule));
      if (!isPresent) latestAppend.current(rule);
    }, 0).clear;
  }, [form, state]);
}

/** A stable function, so that a change of one rule doesn't render all rows. */
function useStableHandler(actions: Record<RuleAction, (index: number) => void>) {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  return useCallback((action: RuleAction, index: number) => latest.current[action](index), []);
}
