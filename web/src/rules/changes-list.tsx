import { useDeferredValue, type ReactNode } from "react";
import { useWatch } from "react-hook-form";
import { formatCount } from "../lib/format.ts";
import { useElapsed } from "../ui/base/timer.ts";
import { Announcement } from "../ui/base/visually-hidden.tsx";
import { networkWords, trafficWords } from "./change-words.ts";
import styles from "./changes-panel.module.css";
import { isUnfinished, ruleChanges, type Exception, type RuleChange, type RuleSet } from "./rule-changes.ts";
import { Source } from "./rule-sentence.tsx";
import type { WithRules } from "./rule-values.ts";

export interface ChangesListProps {
  /** What is open now. */
  saved: RuleSet;
  /** A route's networks as they are in the form; none of its rules counts while it has no router. */
  networks?: readonly string[] | undefined;
  /** Where the rules are not in force yet. */
  isClosed?: boolean | undefined;
}

interface NothingProps {
  /** Stands where there is nothing to tell. */
  nothing: ReactNode;
}

/** What saving would open and close. The default export is for `lazy()`: it takes an edit to need it. */
export default function ChangesList({
  saved,
  networks,
  isClosed = false,
  nothing,
}: ChangesListProps & NothingProps) {
  const rules = useDeferredValue(useWatch<WithRules, "firewallRules">({ name: "firewallRules" }));
  const changes = ruleChanges(saved, { rules: isClosed ? [] : rules, networks });
  const unfinished = rules.filter(isUnfinished).length;
  const isNothing = changes.opens.length + changes.closes.length === 0;
  return (
    <>
      {isNothing && nothing}
      <Part word="Opens" className={styles.opens} changes={changes.opens} except="Already open" />
      <Part word="Closes" className={styles.closes} changes={changes.closes} except="Stays open" />
      {unfinished > 0 && (
        <p className={styles.note}>
          {formatCount(unfinished, "rule is not finished and does", "rules are not finished and do")} not
          count yet.
        </p>
      )}
      <Announcement>
        <WhenSettled key={JSON.stringify(changes)}>
          {isNothing && nothing}
          <Spoken word="Opens" changes={changes.opens} except="Already open" />
          <Spoken word="Closes" changes={changes.closes} except="Stays open" />
        </WhenSettled>
      </Announcement>
    </>
  );
}

const SETTLED_MS = 1000;

/** Nobody is told of every key that is pressed: mounted anew by each change, it speaks after the last. */
function WhenSettled({ children }: { children: ReactNode }) {
  return useElapsed(SETTLED_MS) ? children : null;
}

const CHANGES_SHOWN = 12;

interface SpokenProps {
  word: string;
  changes: readonly RuleChange[];
  /** How an exception is called. */
  except: string;
}

/** The same without headings, which would be found twice. */
function Spoken({ word, changes, except }: SpokenProps) {
  const more = changes.length - CHANGES_SHOWN;
  return changes.slice(0, CHANGES_SHOWN).map((change, index) => (
    <span key={JSON.stringify(change)}>
      {index === 0 && `${word}: `}
      <Change change={change} except={except} />
      {index === CHANGES_SHOWN - 1 && more > 0 ? `, and ${moreChanges(more)}. ` : ". "}
    </span>
  ));
}

const moreChanges = (count: number) => formatCount(count, "more change", "more changes");

function Part({ word, className, changes, except }: SpokenProps & { className: string | undefined }) {
  const more = changes.length - CHANGES_SHOWN;
  if (changes.length === 0) return null;
  return (
    <div className={className}>
      <h4 className={styles.word}>{word}</h4>
      <ul className={styles.changes}>
        {changes.slice(0, CHANGES_SHOWN).map((change) => (
          <li key={JSON.stringify(change)} className={styles.change}>
            <Change change={change} except={except} />
          </li>
        ))}
        {more > 0 && <li className={styles.change}>and {moreChanges(more)}</li>}
      </ul>
    </div>
  );
}

/** "TCP 443 (HTTPS) from role Web to 192.168.4.0/24" */
function Change({ change, except }: { change: RuleChange; except: string }) {
  return (
    <>
      <b>{trafficWords(change)}</b> from <Source {...change} />
      {change.networks.length > 0 && (
        <>
          {" "}
          to <b>{networkWords(change.networks)}</b>
        </>
      )}
      <Exceptions word={except} exceptions={change.except} />
    </>
  );
}

const EXCEPTIONS_SHOWN = 3;

function Exceptions({ word, exceptions }: { word: string; exceptions: readonly Exception[] }) {
  const more = exceptions.length - EXCEPTIONS_SHOWN;
  if (exceptions.length === 0) return null;
  return (
    <span className={styles.exceptions}>
      {" "}
      ({word}{" "}
      {exceptions.slice(0, EXCEPTIONS_SHOWN).map((exception, index) => (
        <span key={JSON.stringify(exception)}>
          {index > 0 && "; "}
          <ExceptionWords {...exception} />
        </span>
      ))}
      {more > 0 && `; ${more} more`})
    </span>
  );
}

function ExceptionWords({ roleID, tags, network }: Exception) {
  const hasSource = roleID !== null || tags.length > 0;
  return (
    <>
      {hasSource && (
        <>
          from <Source roleID={roleID} tags={tags} />
        </>
      )}
      {network && `${hasSource ? " " : ""}to ${network}`}
    </>
  );
}
