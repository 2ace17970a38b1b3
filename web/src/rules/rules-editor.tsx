import { useEffect, type RefObject } from "react";
import { useFormContext } from "react-hook-form";
import { Button } from "../ui/controls/button.tsx";
import { FieldDescription } from "../ui/forms/field.tsx";
import { PlusIcon } from "../ui/base/icons.tsx";
import { Announcement } from "../ui/base/visually-hidden.tsx";
import type { LintDraft } from "./fetch-lints.ts";
import { RemovedRule } from "./removed-rule.tsx";
import { preloadOpenRule, RuleRow } from "./rule-row.tsx";
import type { WithRules } from "./rule-values.ts";
import styles from "./rules.module.css";
import { useRuleLints } from "./use-rule-lints.ts";
import { useRules } from "./use-rules.ts";

export interface RulesEditorProps {
  /** What the rules belong to. */
  owner: LintDraft["type"];
  /** A sentence about what the rules apply to. */
  lead: string;
  /** Shown if there are no rules. */
  emptyText: string;
  /** Whether the object with the rules doesn't exist yet. */
  isNew: boolean;
  /** The subnets of a route; omit them for rules of roles and tags. */
  subnets?: readonly string[] | undefined;
}

const EVALUATION_HINT =
  "Traffic is allowed if any rule matches; the order doesn’t matter. Within a rule, the source must have the role and all of the tags. Everything else is denied; replies are always allowed.";

/** Edits the field `firewallRules` of the surrounding form. Each rule is a sentence that is edited in place. */
export function RulesEditor({ owner, lead, emptyText, isNew, subnets }: RulesEditorProps) {
  const form = useFormContext<WithRules>();
  const rules = useRules();
  const { root, announcement, append } = rules;
  const errors = form.formState.errors.firewallRules;
  const invalid = useFocusOnInvalid(root);
  return (
    <div
      ref={root}
      role="group"
      aria-label="Rules"
      className={styles.rules}
      onPointerEnter={preloadOpenRule}
      onFocus={preloadOpenRule}
    >
      <p className={styles.lead}>
        {lead} {EVALUATION_HINT}
      </p>
      <div className={styles.main}>
        {rules.entries.length > 0 ? (
          <RuleList owner={owner} rules={rules} invalid={invalid} isNew={isNew} subnets={subnets} />
        ) : (
          <p className={styles.empty}>{emptyText}</p>
        )}
        <FieldDescription id={undefined} error={errors?.message ?? errors?.root?.message} />
        <Announcement>{announcement}</Announcement>
        <AddRule onAdd={append} />
      </div>
    </div>
  );
}

interface RuleListProps extends Pick<RulesEditorProps, "owner" | "isNew" | "subnets"> {
  rules: ReturnType<typeof useRules>;
  /** The rule to focus because of an error. */
  invalid: number | undefined;
}

function RuleList({ owner, rules, invalid, isNew, subnets }: RuleListProps) {
  const { rows, entries, open, onAction } = rules;
  const lintsOf = useRuleLints(owner, subnets);
  const errors = useFormContext<WithRules>().formState.errors.firewallRules;
  return (
    <ul aria-label="Rules" className={styles.list}>
      {entries.map((entry) => {
        if ("removed" in entry)
          return (
            <li key={`removed ${entry.removed.savedIndex}`}>
              <RemovedRule rule={entry.removed} isRoute={subnets !== undefined} onAction={onAction} />
            </li>
          );
        const { index } = entry;
        const id = rows[index]?.id;
        return (
          <li key={id} className={rows[index]?.isTarget ? styles.target : undefined}>
            <RuleRow
              index={index}
              isOpen={open === id || errors?.[index] !== undefined}
              focus={open === id ? "first" : index === invalid ? "invalid" : undefined}
              marksAdded={!isNew}
              lints={lintsOf(index)}
              subnets={subnets}
              onAction={onAction}
            />
          </li>
        );
      })}
    </ul>
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
 * Focuses the first invalid field after a submit. The form can't, because a closed rule has no fields until it opens.
 * Returns the index of that rule.
 */
function useFocusOnInvalid(root: RefObject<HTMLElement | null>): number | undefined {
  const { errors, submitCount } = useFormContext<WithRules>().formState;
  const isFirst = Object.keys(errors)[0] === "firewallRules" && Array.isArray(errors.firewallRules);
  const invalid = isFirst ? errors.firewallRules?.findIndex?.(Boolean) : undefined;
  useEffect(() => {
    if (invalid === undefined || submitCount === 0) return;
    root.current?.querySelector<HTMLElement>(`[data-fields="${invalid}"] [aria-invalid=true]`)?.focus();
  }, [root, invalid, submitCount]);
  return invalid;
}
