import type { AuditTargetType } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { networkPath } from "../networks/network-link.tsx";
import { allNetworksQuery } from "../networks/networks.queries.ts";
import { rolePath } from "../roles/role-link.tsx";
import { roleQuery, useRoleName } from "../roles/roles.queries.ts";
import { routePath } from "../routes/route-link.tsx";
import { tagPath } from "../tags/tag-link.tsx";
import styles from "./audit.module.css";
import type { Thing } from "./parts.ts";

const encoded = (path: string) => (id: string) => `${path}/${encodeURIComponent(id)}`;

/** Where a thing is shown. Authorities and authenticators have no page that everybody may see. */
const paths: Readonly<Partial<Record<AuditTargetType, (id: string) => string>>> = {
  // A lighthouse or relay is led on to its own address from there.
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

/** A thing by its name: a link while it is there, and its name alone once it is gone. */
export function NamedThing({ thing }: { thing: Thing }) {
  if (thing.name !== undefined) return <Named thing={thing} name={thing.name} />;
  return thing.type === "network" ? <NetworkNamed thing={thing} /> : <RoleNamed thing={thing} />;
}

function Named({ thing: { type, id, isGone }, name }: { thing: Thing; name: string }) {
  const path = paths[type]?.(id);
  if (isGone || path === undefined)
    return (
      <bdi className={styles.thing} title={isGone ? "It is gone" : undefined}>
        {name}
      </bdi>
    );
  return (
    <Link to={path} className={styles.link} dir="auto">
      {name}
    </Link>
  );
}

const GONE = "that is gone";
/** While it is being looked up. */
const UNKNOWN = "…";

function RoleNamed({ thing }: { thing: Thing }) {
  const name = useRoleName(thing.id);
  // What that found out, without asking again.
  const { isError } = useQuery({ ...roleQuery(thing.id), enabled: false });
  return name === undefined ? isError ? GONE : UNKNOWN : <Named thing={thing} name={name} />;
}

function NetworkNamed({ thing }: { thing: Thing }) {
  const { data: networks } = useQuery(allNetworksQuery);
  const name = networks?.find(({ id }) => id === thing.id)?.name;
  return name === undefined ? networks ? GONE : UNKNOWN : <Named thing={thing} name={name} />;
}
