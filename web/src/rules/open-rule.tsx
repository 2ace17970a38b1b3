import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent } from "react";
import { useFormContext } from "react-hook-form";
import { Button } from "../ui/controls/button.tsx";
import { RuleFields } from "./rule-fields.tsx";
import type { RuleRowProps } from "./rule-row.tsx";
import type { RuleValues, WithRules } from "./rule-values.ts";
import styles from "./rules.module.css";

const wanted = { first: "select", wrong: "[aria-invalid=true]" };

/** The fields of a rule. The default export is for `lazy()`. */
export default function OpenRule(props: RuleRowProps & { rule: RuleValues }) {
  const { index, rule, focus, networks, onAct } = props;
  const form = useFormContext<WithRules>();
  const fields = useRef<HTMLDivElement>(null);
  const isChoosing = useRef(false);
  const [initialFocus] = useState(focus);
  useEffect(() => {
    if (initialFocus) fields.current?.querySelector<HTMLElement>(wanted[initialFocus])?.focus();
  }, [initialFocus]);
  // The form changes the rule it holds in place.
  const [before] = useState(() => structuredClone(rule));
  const isNew = before.ports === "";

  async function finish() {
    if (!(await form.trigger(`firewallRules.${index}`))) return;
    onAct("split", index);
    onAct("close", index);
  }
  function cancel() {
    form.clearErrors(`firewallRules.${index}`);
    if (isNew) return onAct("remove", index);
    form.setValue(`firewallRules.${index}`, before, { shouldDirty: true });
    onAct("close", index);
  }
  // Enter chooses what a list has marked; on the way up it is chosen, and nothing is marked any more.
  function onKeyDownCapture({ target }: KeyboardEvent) {
    if (target instanceof HTMLInputElement) isChoosing.current = target.hasAttribute("aria-activedescendant");
  }
  function onKeyDown(event: KeyboardEvent) {
    const { target } = event;
    if (event.key !== "Enter" || !(target instanceof HTMLInputElement)) return;
    if (event.ctrlKey || event.metaKey) return onAct("split", index);
    if (isChoosing.current) return;
    event.preventDefault();
    void finish();
  }
  function onBlur(event: FocusEvent) {
    if (!event.currentTarget.contains(event.relatedTarget)) onAct("split", index);
  }

  return (
    <div
      ref={fields}
      role="group"
      aria-label={`Rule ${index + 1}`}
      data-fields={index}
      className={styles.editor}
      onKeyDownCapture={onKeyDownCapture}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
    >
      <RuleFields index={index} networks={networks} />
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
