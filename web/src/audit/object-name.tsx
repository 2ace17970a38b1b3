import type { AuditTargetType } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { networkPath } from "../references/network-link.tsx";
import { allNetworksQuery } from "../references/networks.queries.ts";
import { rolePath } from "../references/role-link.tsx";
import { roleQuery, useRoleName } from "../references/roles.queries.ts";
import { routePath } from "../references/route-link.tsx";
import { tagPath } from "../references/tag-link.tsx";
import styles from "./audit.module.css";
import type { AuditObject } from "./parts.ts";

const encoded = (path: string) => (id: string) => `${path}/${encodeURIComponent(id)}`;

/** The page of an object. CAs and authenticators have no page that everyone can see. */
const paths: Readonly<Partial<Record<AuditTargetType, (id: string) => string>>> = {
  // The page of a host redirects lighthouses and relays to their own URL.
  host: encoded("/hosts"),
  role: rolePath,
  network: networkPath,
  route: routePath,
  tag: tagPath,
  apiKey: encoded("/settings/api-keys"),
  oidcProvider: () => "/settings/sso",
  billing: () => "/settings/billing",
  user: () => "/settings/members",
  organization: () => "/settings/organization",
};

/** The name of an object, as a link while the object exists. */
export function ObjectName({ object }: { object: AuditObject }) {
  if (object.name !== undefined) return <Named object={object} name={object.name} />;
  return object.type === "network" ? <NetworkNamed object={object} /> : <RoleNamed object={object} />;
}

function Named({ object: { type, id, isGone }, name }: { object: AuditObject; name: string }) {
  const path = paths[type]?.(id);
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

const DELETED = "(deleted)";
const LOADING = "…";

function RoleNamed({ object }: { object: AuditObject }) {
  const name = useRoleName(object.id);
  // Reads the result of the query above without another request.
  const { isError } = useQuery({ ...roleQuery(object.id), enabled: false });
  return name === undefined ? isError ? DELETED : LOADING : <Named object={object} name={name} />;
}

function NetworkNamed({ object }: { object: AuditObject }) {
  const { data: networks } = useQuery(allNetworksQuery);
  const name = networks?.find(({ id }) => id === object.id)?.name;
  return name === undefined ? networks ? DELETED : LOADING : <Named object={object} name={name} />;
}
