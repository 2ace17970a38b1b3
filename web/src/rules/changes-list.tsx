import { useDeferredValue, type ReactNode } from "react";
import { useWatch } from "react-hook-form";
import { formatCount } from "../lib/format.ts";
import { useElapsed } from "../ui/base/timer.ts";
import { Announcement } from "../ui/base/visually-hidden.tsx";
import { subnetsLabel, trafficLabel } from "./change-labels.ts";
import styles from "./changes-panel.module.css";
import { isIncomplete, ruleChanges, type Exception, type RuleChange, type RuleSet } from "./rule-changes.ts";
import { Source } from "./rule-sentence.tsx";
import type { WithRules } from "./rule-values.ts";

export interface ChangesListProps {
  /** The rules that are in force. */
  saved: RuleSet;
  /** A route's subnets in the form. */
  subnets?: readonly string[] | undefined;
  /** The rules have no effect, for example because a route has no router. */
  isInactive?: boolean | undefined;
}

interface NoChangeProps {
  /** Shown if access doesn't change. */
  noChange: ReactNode;
}

/** What access saving would add and remove. The default export is for `lazy()`: only an edit needs it. */
export default function ChangesList({
  saved,
  subnets,
  isInactive = false,
  noChange,
}: ChangesListProps & NoChangeProps) {
  const rules = useDeferredValue(useWatch<WithRules, "firewallRules">({ name: "firewallRules" }));
  const changes = ruleChanges(saved, { rules: isInactive ? [] : rules, subnets });
  const incompleteCount = rules.filter(isIncomplete).length;
  const hasNoChanges = changes.added.length + changes.removed.length === 0;
  return (
    <>
      {hasNoChanges && noChange}
      <ChangeGroup
        title="Newly allowed"
        className={styles.added}
        changes={changes.added}
        exceptionLabel="Already allowed"
      />
      <ChangeGroup
        title="No longer allowed"
        className={styles.removed}
        changes={changes.removed}
        exceptionLabel="Still allowed"
      />
      {incompleteCount > 0 && (
        <p className={styles.note}>
          {formatCount(incompleteCount, "rule is incomplete and isn’t", "rules are incomplete and aren’t")}{" "}
          included.
        </p>
      )}
      <Announcement>
        <AfterPause key={JSON.stringify(changes)}>
          {hasNoChanges && noChange}
          <SpokenChanges title="Newly allowed" changes={changes.added} exceptionLabel="Already allowed" />
          <SpokenChanges title="No longer allowed" changes={changes.removed} exceptionLabel="Still allowed" />
        </AfterPause>
      </Announcement>
    </>
  );
}

const PAUSE_MS = 1000;

/** Remounted by each change, so that screen readers announce only the last one and not every keystroke. */
function AfterPause({ children }: { children: ReactNode }) {
  return useElapsed(PAUSE_MS) ? children : null;
}

const SHOWN_CHANGES_MAX = 12;

interface ChangeGroupProps {
  title: string;
  changes: readonly RuleChange[];
  exceptionLabel: string;
}

/** For screen readers: no headings, which would appear twice. */
function SpokenChanges({ title, changes, exceptionLabel }: ChangeGroupProps) {
  const more = changes.length - SHOWN_CHANGES_MAX;
  return changes.slice(0, SHOWN_CHANGES_MAX).map((change, index) => (
    <span key={JSON.stringify(change)}>
      {index === 0 && `${title}: `}
      <Change change={change} exceptionLabel={exceptionLabel} />
      {index === SHOWN_CHANGES_MAX - 1 && more > 0 ? `, and ${moreChanges(more)}. ` : ". "}
    </span>
  ));
}

const moreChanges = (count: number) => formatCount(count, "more change", "more changes");

function ChangeGroup({
  title,
  className,
  changes,
  exceptionLabel,
}: ChangeGroupProps & { className: string | undefined }) {
  const more = changes.length - SHOWN_CHANGES_MAX;
  if (changes.length === 0) return null;
  return (
    <div className={className}>
      <h4 className={styles.groupTitle}>{title}</h4>
      <ul className={styles.changes}>
        {changes.slice(0, SHOWN_CHANGES_MAX).map((change) => (
          <li key={JSON.stringify(change)} className={styles.change}>
            <Change change={change} exceptionLabel={exceptionLabel} />
          </li>
        ))}
        {more > 0 && <li className={styles.change}>and {moreChanges(more)}</li>}
      </ul>
    </div>
  );
}

/** "TCP 443 (HTTPS) from role Web to 192.168.4.0/24" */
function Change({ change, exceptionLabel }: { change: RuleChange; exceptionLabel: string }) {
  return (
    <>
      <b>{trafficLabel(change)}</b> from <Source {...change} />
      {change.subnets.length > 0 && (
        <>
          {" "}
          to <b>{subnetsLabel(change.subnets)}</b>
        </>
      )}
      <Exceptions label={exceptionLabel} exceptions={change.except} />
    </>
  );
}

const SHOWN_EXCEPTIONS_MAX = 3;

function Exceptions({ label, exceptions }: { label: string; exceptions: readonly Exception[] }) {
  const more = exceptions.length - SHOWN_EXCEPTIONS_MAX;
  if (exceptions.length === 0) return null;
  return (
    <span className={styles.exceptions}>
      {" "}
      ({label}{" "}
      {exceptions.slice(0, SHOWN_EXCEPTIONS_MAX).map((exception, index) => (
        <span key={JSON.stringify(exception)}>
          {index > 0 && "; "}
          <ExceptionText {...exception} />
        </span>
      ))}
      {more > 0 && `; ${more} more`})
    </span>
  );
}

function ExceptionText({ roleID, tags, subnet }: Exception) {
  const hasSource = roleID !== null || tags.length > 0;
  return (
    <>
      {hasSource && (
        <>
          from <Source roleID={roleID} tags={tags} />
        </>
      )}
      {subnet && `${hasSource ? " " : ""}to ${subnet}`}
    </>
  );
}
