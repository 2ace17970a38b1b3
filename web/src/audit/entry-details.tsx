import type { AuditLog } from "@lightkeeper/contract";
import { Link, useLocation } from "react-router";
import { diffLines, withContext } from "../ui/on-demand/line-diff.ts";
import { Code } from "../ui/text/code.tsx";
import { Diff } from "../ui/on-demand/diff.tsx";
import { Time } from "../ui/text/time.tsx";
import { AccessDiff } from "./access-diff.tsx";
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

/** The value of the actor filter. */
function actorValue({ actor }: AuditLog): string {
  if ("email" in actor) return actor.email;
  return "id" in actor ? actor.id : actor.type;
}

/** A default export, for `lazy()`: loaded when an entry is opened. */
export default function EntryDetails({ entry }: { entry: AuditLog }) {
  const { pathname } = useLocation();
  const lines = linesOf(entry.event);
  // The activity of a host is already limited to that host.
  const isInLog = pathname.startsWith(AUDIT_PATH);
  return (
    <div className={styles.details}>
      {lines.length > 0 ? (
        <div className={styles.diff}>
          <Diff label="What changed" lines={lines} />
        </div>
      ) : (
        <p className={styles.muted}>No details recorded.</p>
      )}
      {entry.accessDiff && <AccessDiff summary={entry.accessDiff} />}
      <dl className={styles.properties}>
        <Property label="Time">
          <Time at={entry.timestamp} absolute />
        </Property>
        {entry.actorAddress !== null && (
          <Property label="IP address">
            <Code copy="IP address">{entry.actorAddress}</Code>
          </Property>
        )}
        {entry.actor.type === "oidcUser" && (
          <Property label="Identity provider">{entry.actor.issuer}</Property>
        )}
        <Property label="Entry ID">
          <Code copy="entry ID">{entry.id}</Code>
        </Property>
      </dl>
      <p className={styles.more}>
        {isInLog && <Link to={filteredBy("targetID", entry.target.id)}>All entries for this object</Link>}
        <Link to={filteredBy("actor", actorValue(entry))}>All entries by this actor</Link>
      </p>
    </div>
  );
}

function Property({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
