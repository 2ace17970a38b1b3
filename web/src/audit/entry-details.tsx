import type { AuditLog } from "@lightkeeper/contract";
import { Link, useLocation } from "react-router";
import { diffLines, withContext } from "../lib/line-diff.ts";
import { Code } from "../ui/text/code.tsx";
import { Diff } from "../ui/text/diff.tsx";
import { Time } from "../ui/text/time.tsx";
import { AUDIT_PATH } from "./audit-link.tsx";
import styles from "./audit.module.css";

const CONTEXT_LINES = 3;

const textOf = (snapshot: AuditLog["event"]["before"]) =>
  typeof snapshot === "string" ? snapshot : JSON.stringify(snapshot, null, 2);

function linesOf({ before, after }: AuditLog["event"]) {
  const whole = (kind: "added" | "removed", text: string) =>
    text.split("\n").map((line, place) => ({ place, line: { kind, text: line } }));
  if (before === null && after === null) return [];
  if (before === null) return whole("added", textOf(after));
  if (after === null) return whole("removed", textOf(before));
  return withContext(diffLines(textOf(before), textOf(after)), CONTEXT_LINES);
}

const filteredBy = (name: "targetID" | "actor", value: string) =>
  `${AUDIT_PATH}?${new URLSearchParams({ [`filter.${name}`]: value })}`;

/** Whom the log can be narrowed to. */
function actorValue({ actor }: AuditLog): string {
  if ("email" in actor) return actor.email;
  return "id" in actor ? actor.id : actor.type;
}

/** The default export is for `lazy()`: it takes opening an entry to need it. */
export default function EntryDetails({ entry }: { entry: AuditLog }) {
  const { pathname } = useLocation();
  const lines = linesOf(entry.event);
  // Of a host's own log that would say what one is looking at already.
  const isInLog = pathname.startsWith(AUDIT_PATH);
  return (
    <div className={styles.details}>
      {lines.length > 0 ? (
        <div className={styles.diff}>
          <Diff label="What changed" lines={lines} />
        </div>
      ) : (
        <p className={styles.muted}>Nothing more was kept of it.</p>
      )}
      <dl className={styles.facts}>
        <Fact label="When">
          <Time at={entry.timestamp} absolute />
        </Fact>
        {entry.actorAddress !== null && (
          <Fact label="From">
            <Code copy="address">{entry.actorAddress}</Code>
          </Fact>
        )}
        {entry.actor.type === "oidcUser" && <Fact label="Signed in at">{entry.actor.issuer}</Fact>}
        <Fact label="Entry">
          <Code copy="entry ID">{entry.id}</Code>
        </Fact>
      </dl>
      <p className={styles.more}>
        {isInLog && <Link to={filteredBy("targetID", entry.target.id)}>Everything about this</Link>}
        <Link to={filteredBy("actor", actorValue(entry))}>Everything they did</Link>
      </p>
    </div>
  );
}

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
