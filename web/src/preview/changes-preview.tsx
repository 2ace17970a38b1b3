import type { AccessChange, AccessGroup } from "@lightkeeper/contract";
import { useState } from "react";
import { formatCount, formatNumber } from "../lib/format.ts";
import { classNames } from "../ui/base/class-names.ts";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import { Button } from "../ui/controls/button.tsx";
import styles from "./preview.module.css";
import { trafficLabel } from "../rules/traffic-labels.ts";

interface ChangeListProps {
  opened: readonly AccessChange[];
  closed: readonly AccessChange[];
}

const SHOWN_FIRST = 6;

/** The changes in words: what is opened, then what is closed. */
export function ChangeList({ opened, closed }: ChangeListProps) {
  const [isExpanded, setExpanded] = useState(false);
  const changes = [
    ...opened.map((change) => ({ change, isOpened: true })),
    ...closed.map((change) => ({ change, isOpened: false })),
  ];
  const shown = isExpanded ? changes : changes.slice(0, SHOWN_FIRST);
  if (changes.length === 0) return null;
  return (
    <>
      <ul className={styles.changes}>
        {shown.map(({ change, isOpened }) => (
          <li key={JSON.stringify([isOpened, change])}>
            <Change change={change} isOpened={isOpened} />
          </li>
        ))}
      </ul>
      {shown.length < changes.length && (
        <div className={styles.more}>
          <Button size="small" variant="quiet" onClick={() => setExpanded(true)}>
            Show all {formatNumber(changes.length)} changes
          </Button>
        </div>
      )}
    </>
  );
}

/** "TCP 5432 from role Contractor to role Database", "3 hosts can now reach 18 hosts" */
function Change({ change, isOpened }: { change: AccessChange; isOpened: boolean }) {
  const { traffic, sources, destinations } = change;
  return (
    <div className={classNames(styles.change, isOpened ? styles.opened : styles.closed)}>
      <p>
        <VisuallyHidden>{isOpened ? "Opened: " : "Closed: "}</VisuallyHidden>
        <b>{trafficLabel(traffic)}</b> from <Groups groups={sources} />
        {destinations.length > 0 && (
          <>
            {" "}
            to <Groups groups={destinations} />
          </>
        )}
      </p>
      <p className={styles.reach}>
        {formatCount(change.sourceCount, "host")} {isOpened ? "can now" : "can no longer"} reach{" "}
        {reachedText(change)}
      </p>
    </div>
  );
}

const list = new Intl.ListFormat("en");
const SUBNETS_MAX = 3;

/** "18 hosts", "10.0.8.0/22 except 10.0.8.7/32" */
function reachedText({ destinationCount, subnets }: AccessChange): string {
  const shown = subnets
    .slice(0, SUBNETS_MAX)
    .map(({ cidr, except }) => (except.length > 0 ? `${cidr} except ${list.format(except)}` : cidr));
  const more = subnets.length - shown.length;
  return list.format([
    ...(destinationCount > 0 ? [formatCount(destinationCount, "host")] : []),
    ...shown,
    ...(more > 0 ? [formatCount(more, "more subnet")] : []),
  ]);
}

const GROUPS_MAX = 2;

function Groups({ groups }: { groups: readonly AccessGroup[] }) {
  const more = groups.length - GROUPS_MAX;
  return (
    <>
      {groups.slice(0, GROUPS_MAX).map((group, index) => (
        <span key={JSON.stringify([group.role?.id, group.tags])}>
          {index > 0 && (more > 0 ? ", " : " and ")}
          <Group group={group} />
        </span>
      ))}
      {more > 0 && ` and ${formatCount(more, "more group")}`}
    </>
  );
}

/** "role Employee with tag team:data" */
function Group({ group: { role, tags, hosts, hostCount } }: { group: AccessGroup }) {
  const [onlyHost] = hosts;
  if (!role && tags.length === 0)
    return hostCount === 1 && onlyHost ? <Name noun="host" name={onlyHost.name} /> : "hosts without a role";
  return (
    <>
      {role ? <Name noun="role" name={role.name} /> : "hosts"}
      {tags.map((tag, index) => (
        <span key={tag}>
          {" "}
          <Name noun={index === 0 ? "with tag" : "and tag"} name={tag} />
        </span>
      ))}
    </>
  );
}

function Name({ noun, name }: { noun: string; name: string }) {
  return (
    <>
      {noun}{" "}
      <b>
        <bdi>{name}</bdi>
      </b>
    </>
  );
}
