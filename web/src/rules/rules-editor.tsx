import { useEffect, type RefObject } from "react";
import { useFormContext } from "react-hook-form";
import { Button } from "../ui/controls/button.tsx";
import { classNames } from "../ui/base/class-names.ts";
import { FieldDescription } from "../ui/forms/field.tsx";
import { PlusIcon } from "../ui/base/icons.tsx";
import { Announcement } from "../ui/base/visually-hidden.tsx";
import { ChangesPanel, type ChangesPanelProps } from "./changes-panel.tsx";
import { preloadOpenRule, RuleRow } from "./rule-row.tsx";
import type { WithRules } from "./rule-values.ts";
import styles from "./rules.module.css";
import { useRules } from "./use-rules.ts";

export interface RulesEditorProps {
  /** A sentence that says whose rules they are. */
  lead: string;
  /** What no rules mean. */
  none: string;
  /** A route's networks; left out for rules of roles and tags. */
  networks?: readonly string[] | undefined;
  /** What of them is in force already; left out where there is nothing to compare with. */
  changes?: Omit<ChangesPanelProps, "networks"> | undefined;
}

const HOW_RULES_COUNT =
  "Traffic is allowed if any rule matches; the order doesn’t matter. Within a rule, the source must have the role and all of the tags. Everything else is denied; replies are always allowed.";

/** The field `firewallRules` of the form around it: sentences, each edited in place. */
export function RulesEditor({ lead, none, networks, changes }: RulesEditorProps) {
  const form = useFormContext<WithRules>();
  const { rows, root, said, open, append, onAct } = useRules();
  const errors = form.formState.errors.firewallRules;
  const wrong = useFocusOnWrong(root);
  return (
    <div
      ref={root}
      role="group"
      aria-label="Rules"
      className={classNames(styles.rules, changes && styles.withChanges)}
      onPointerEnter={preloadOpenRule}
      onFocus={preloadOpenRule}
    >
      <p className={styles.lead}>
        {lead} {HOW_RULES_COUNT}
      </p>
      <div className={styles.own}>
        {rows.length > 0 ? (
          <ul aria-label="Rules" className={styles.list}>
            {rows.map(({ id, index }) => (
              <li key={id}>
                <RuleRow
                  index={index}
                  isOpen={open === id || errors?.[index] !== undefined}
                  focus={open === id ? "first" : index === wrong ? "wrong" : undefined}
                  networks={networks}
                  onAct={onAct}
                />
              </li>
            ))}
          </ul>
        ) : (
          <p className={styles.none}>{none}</p>
        )}
        <FieldDescription id={undefined} error={errors?.message ?? errors?.root?.message} />
        <Announcement>{said}</Announcement>
        <AddRule onAdd={append} />
      </div>
      {changes && <ChangesPanel {...changes} networks={networks} />}
    </div>
  );
}

function AddRule({ onAdd }: { onAdd: () => void }) {
  return (
    <div>
      <Button size="small" icon={<PlusIcon />} onClick={onAdd} data-add>
        Add rule
      </Button>
    </div>
  );
}

/**
 * A form moves the focus to its first wrong field, but a rule that was closed has none until it is drawn. Answers
 * which rule that is.
 */
function useFocusOnWrong(root: RefObject<HTMLElement | null>): number | undefined {
  const { errors, submitCount } = useFormContext<WithRules>().formState;
  const isFirst = Object.keys(errors)[0] === "firewallRules" && Array.isArray(errors.firewallRules);
  const wrong = isFirst ? errors.firewallRules?.findIndex?.(Boolean) : undefined;
  useEffect(() => {
    if (wrong === undefined || submitCount === 0) return;
    root.current?.querySelector<HTMLElement>(`[data-fields="${wrong}"] [aria-invalid=true]`)?.focus();
  }, [root, wrong, submitCount]);
  return wrong;
}
