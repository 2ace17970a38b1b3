import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent } from "react";
import { useFormContext } from "react-hook-form";
import { Button } from "../ui/controls/button.tsx";
import { RuleFields } from "./rule-fields.tsx";
import type { RuleValues, WithRules } from "./rule-values.ts";
import styles from "./rules.module.css";
import type { RuleAction } from "./use-rules.ts";

const focusSelectors = { first: "select", invalid: "[aria-invalid=true]" };

export interface OpenRuleProps {
  index: number;
  rule: RuleValues;
  /** The field to focus when the fields appear. */
  focus: "first" | "invalid" | undefined;
  subnets: readonly string[] | undefined;
  onAction: (action: RuleAction, index: number) => void;
}

/** The fields of a rule. The default export is for `lazy()`. */
export default function OpenRule(props: OpenRuleProps) {
  const { index, focus, subnets, onAction } = props;
  const { finish, cancel } = useEditing(props);
  const keyHandlers = useEnterKey({ finish, split: () => onAction("split", index) });
  const fields = useRef<HTMLDivElement>(null);
  const [initialFocus] = useState(focus);
  useEffect(() => {
    if (initialFocus) fields.current?.querySelector<HTMLElement>(focusSelectors[initialFocus])?.focus();
  }, [initialFocus]);
  function onBlur(event: FocusEvent) {
    if (!event.currentTarget.contains(event.relatedTarget)) onAction("split", index);
  }

  return (
    <div
      ref={fields}
      role="group"
      aria-label={`Rule ${index + 1}`}
      data-fields={index}
      className={styles.editor}
      {...keyHandlers}
      onBlur={onBlur}
    >
      <RuleFields index={index} subnets={subnets} />
      <div className={styles.actions}>
        <Button size="small" onClick={() => void finish()}>
          Done
        </Button>
        <Button size="small" variant="quiet" onClick={cancel}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** Ends editing: `finish` keeps the changes, `cancel` restores the rule or removes a new one. */
function useEditing({ index, rule, onAction }: OpenRuleProps) {
  const form = useFormContext<WithRules>();
  // A copy, because the form mutates its rule.
  const [before] = useState(() => structuredClone(rule));
  const isNew = before.ports === "";

  async function finish() {
    if (!(await form.trigger(`firewallRules.${index}`))) return;
    onAction("split", index);
    onAction("close", index);
  }
  function cancel() {
    form.clearErrors(`firewallRules.${index}`);
    if (isNew) return onAction("remove", index);
    form.setValue(`firewallRules.${index}`, before, { shouldDirty: true });
    onAction("close", index);
  }
  return { finish, cancel };
}

/** Enter finishes editing, and splits the rule with Ctrl or Cmd. */
function useEnterKey({ finish, split }: { finish: () => Promise<void>; split: () => void }) {
  const isChoosing = useRef(false);
  // Recorded while capturing: when the event bubbles, Enter has already chosen the active option of a list.
  function onKeyDownCapture({ target }: KeyboardEvent) {
    if (target instanceof HTMLInputElement) isChoosing.current = target.hasAttribute("aria-activedescendant");
  }
  function onKeyDown(event: KeyboardEvent) {
    const { target } = event;
    if (event.key !== "Enter" || !(target instanceof HTMLInputElement)) return;
    if (event.ctrlKey || event.metaKey) return split();
    if (isChoosing.current) return;
    event.preventDefault();
    void finish();
  }
  return { onKeyDownCapture, onKeyDown };
}
