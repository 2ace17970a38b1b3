import { useCallback, useEffect, useRef, useState } from "react";
import { useFieldArray, useFormContext } from "react-hook-form";
import { formatCount } from "../lib/format.ts";
import { useFocusOn } from "../ui/base/focus-on.ts";
import { ruleTraffic } from "./rule-sentence.tsx";
import { newRule, splitRule, type WithRules } from "./rule-values.ts";

/** Open, but too new to have a key. */
const ADDED = "added";

/** What a row can ask for: to be opened, closed, removed, or, with a list of ports, to become several. */
export type RuleAct = "open" | "close" | "remove" | "split";

/** The rules, which one is open, and where the focus goes when one comes, goes or closes. */
export function useRules() {
  const form = useFormContext<WithRules>();
  const array = useFieldArray<WithRules, "firewallRules">({ name: "firewallRules" });
  const [open, setOpen] = useState<string>();
  const [said, setSaid] = useState("");
  const { root, focusOn } = useFocusOn();
  const rows = array.fields.map(({ id }, index) => ({ id, index }));
  const last = rows.at(-1)?.id;
  if (open === ADDED && last !== undefined) setOpen(last);

  const acts: Record<RuleAct, (index: number) => void> = {
    open: (index) => {
      setOpen(rows[index]?.id);
    },
    close: (index) => {
      setOpen(undefined);
      focusOn(`[data-rule="${index}"]`);
    },
    remove: (index) => {
      setSaid(`Rule ${ruleTraffic(form.getValues(`firewallRules.${index}`))} removed.`);
      array.remove(index);
      const next = Math.min(index, rows.length - 2);
      focusOn(next < 0 ? "[data-add]" : `[data-rule="${next}"]`);
    },
    split: (index) => {
      const [first, ...others] = splitRule(form.getValues(`firewallRules.${index}`));
      if (!first || others.length === 0) return;
      form.setValue(`firewallRules.${index}.ports`, first.ports, { shouldDirty: true });
      array.insert(index + 1, others, { shouldFocus: false });
      setSaid(`${formatCount(others.length + 1, "rule")} made.`);
    },
  };
  function append() {
    array.append(newRule, { shouldFocus: false });
    setOpen(ADDED);
  }

  return { rows, root, said, open, append, onAct: useStable(acts) };
}

/** The same function for as long as the list is shown: two hundred rows are not drawn anew for one. */
function useStable(acts: Record<RuleAct, (index: number) => void>) {
  const latest = useRef(acts);
  useEffect(() => {
    latest.current = acts;
  });
  return useCallback((act: RuleAct, index: number) => latest.current[act](index), []);
}
