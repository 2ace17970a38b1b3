import { Link } from "react-router";
import type { AuditObject } from "../references/audit-target.ts";
import { auditTargets } from "./audit-targets.ts";
import styles from "./audit.module.css";

const DELETED = "(deleted)";
const LOADING = "…";

/** The name of an object, as a link while the object exists. */
export function ObjectName({ object }: { object: AuditObject }) {
  const { NameLoader } = auditTargets[object.type];
  if (object.name !== undefined || !NameLoader)
    return <WithName object={object} name={object.name ?? object.id} />;
  return (
    <NameLoader id={object.id}>
      {({ name, isMissing }) => {
        if (name !== undefined) return <WithName object={object} name={name} />;
        return isMissing ? DELETED : LOADING;
      }}
    </NameLoader>
  );
}

function WithName({ object: { type, id, isGone }, name }: { object: AuditObject; name: string }) {
  const path = auditTargets[type].path?.(id);
  if (isGone || path === undefined)
    return (
      <bdi className={styles.object} title={isGone ? "Deleted" : undefined}>
        {name}
      </bdi>
    );
  return (
    <Link to={path} className={styles.link} dir="auto">
      {name}
    </Link>
  );
}
