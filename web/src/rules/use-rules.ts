import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { useFieldArray, useFormContext, type UseFieldArrayReturn, type UseFormReturn } from "react-hook-form";
import { useLocation } from "react-router";
import { formatCount } from "../lib/format.ts";
import { useFocusOn } from "../ui/base/focus-on.ts";
import { startTimer } from "../ui/base/timer.ts";
import { readDraftRule } from "./draft-rule-values.ts";
import { findPosition, listEntries, useSavedRules } from "./rule-changes.ts";
import { readRuleHash } from "./rule-hash.ts";
import { ruleTraffic } from "./rule-sentence.tsx";
import { isSameRule, newRule, splitRule, type RuleValues, type WithRules } from "./rule-values.ts";

/** Marks the new rule as open until it has an ID. */
const ADDED = "added";

/** `split` turns a rule with a list of ports into several rules. `undo` restores a removed rule, by its saved index. */
export type RuleAction = "open" | "close" | "remove" | "split" | "undo";

/** The list of rules, which one is open, and the focus after each action. */
export function useRules() {
  const form = useFormContext<WithRules>();
  const array = useFieldArray<WithRules, "firewallRules">({ name: "firewallRules" });
  const [open, setOpen] = useState<string>();
  const [announcement, setAnnouncement] = useState("");
  const { root, focusOn } = useFocusOn();
  const saved = useSavedRules();
  const target = useRuleHash(root);
  const rows = array.fields.map(({ id, savedIndex }, index) => ({
    id,
    index,
    isTarget: target !== undefined && savedIndex === target,
  }));
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
    ...useRemoval({ form, array, announce: setAnnouncement, focusOn }),
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

  const entries = listEntries(saved, array.fields);
  return { rows, entries, root, announcement, open, append, onAction: useStableHandler(actions) };
}

interface RemovalOptions {
  form: UseFormReturn<WithRules>;
  array: UseFieldArrayReturn<WithRules, "firewallRules">;
  announce: (text: string) => void;
  focusOn: (selector: string) => void;
}

/** A removed rule that was saved stays on screen, with a button that restores it. */
function useRemoval({ form, array, announce, focusOn }: RemovalOptions) {
  const saved = useSavedRules();
  return {
    remove: (index: number) => {
      const rule = form.getValues(`firewallRules.${index}`);
      const next = Math.min(index, array.fields.length - 2);
      array.remove(index);
      announce(`Rule ${ruleTraffic(rule)} removed.`);
      if (rule.savedIndex !== undefined) focusOn(`[data-undo="${rule.savedIndex}"]`);
      else focusOn(next < 0 ? "[data-add]" : `[data-rule="${next}"]`);
    },
    undo: (savedIndex: number) => {
      const rule = saved.find((each) => each.savedIndex === savedIndex);
      if (!rule) return;
      const position = findPosition(form.getValues("firewallRules"), savedIndex);
      array.insert(position, rule, { shouldFocus: false });
      announce(`Rule ${ruleTraffic(rule)} restored.`);
      focusOn(`[data-rule="${position}"]`);
    },
  };
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
      const isPresent = form.getValues("firewallRules").some((present) => isSameRule(present, rule));
      if (!isPresent) latestAppend.current(rule);
    }, 0).clear;
  }, [form, state]);
}

/** Shows the rule that the link to the form names. Returns its saved index. */
function useRuleHash(root: RefObject<HTMLElement | null>): number | undefined {
  const index = readRuleHash(useLocation().hash);
  useEffect(() => {
    const rule = root.current?.querySelector<HTMLElement>(`[data-rule="${index}"]`);
    rule?.scrollIntoView({ block: "center" });
    rule?.focus();
  }, [root, index]);
  return index;
}

/** A stable function, so that a change of one rule doesn't render all rows. */
function useStableHandler(actions: Record<RuleAction, (index: number) => void>) {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  return useCallback((action: RuleAction, index: number) => latest.current[action](index), []);
}
