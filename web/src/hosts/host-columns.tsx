import type { HostV2 } from "@lightkeeper/contract";
import { RoleLink } from "../roles/role-link.tsx";
import { TagChips } from "../tags/tag-chips.tsx";
import { Code } from "../ui/code.tsx";
import type { Column } from "../ui/data-table.tsx";
import { ArrowUpIcon } from "../ui/icons.tsx";
import { Time } from "../ui/time.tsx";
import { VisuallyHidden } from "../ui/visually-hidden.tsx";
import { HostLink, type HostKind } from "./host-link.tsx";
import { HostRowMenu } from "./host-menu.tsx";
import type { HostNames } from "./host-names.ts";
import { HostStatus } from "./host-status.tsx";
import styles from "./hosts.module.css";

const TAGS_SHOWN = 2;
const nothing = <span className={styles.nothing}>—</span>;

/** All there are, in their order. */
export function hostColumns(names: HostNames, { withNetwork }: { withNetwork: boolean }): Column<HostV2>[] {
  return [
    {
      id: "name",
      header: "Name",
      sortKey: "name",
      cell: (host) => (
        <span className={styles.name}>
          <HostLink host={host} />
          {withNetwork && <bdi className={styles.second}>{names.networkName(host.networkID)}</bdi>}
        </span>
      ),
    },
    { id: "status", header: "Status", cell: (host) => <HostStatus host={host} /> },
    {
      id: "address",
      header: "Address",
      sortKey: "ipAddress",
      cell: (host) => <Addresses host={host} />,
    },
    {
      id: "network",
      header: "Network",
      hideBelow: "small",
      cell: ({ networkID }) => <bdi className={styles.cut}>{names.networkName(networkID)}</bdi>,
    },
    {
      id: "staticAddresses",
      header: "Reached at",
      hideBelow: "small",
      cell: ({ staticAddresses: [first, ...rest] }) =>
        first === undefined ? (
          nothing
        ) : (
          <span className={styles.reached} title={[first, ...rest].join(", ")}>
            <Code>{first}</Code>
            {rest.length > 0 && <span>+{rest.length}</span>}
          </span>
        ),
    },
    { id: "role", header: "Role", cell: ({ roleID }) => <RoleCell roleID={roleID} names={names} /> },
    {
      id: "tags",
      header: "Tags",
      hideBelow: "small",
      cell: ({ tags }) =>
        tags.length > 0 ? (
          <span className={styles.tags}>
            <TagChips tags={tags} max={TAGS_SHOWN} />
          </span>
        ) : (
          nothing
        ),
    },
    {
      id: "lastSeen",
      header: "Last seen",
      sortKey: "lastSeenAt",
      cell: ({ metadata: { lastSeenAt } }) => (lastSeenAt ? <Time at={lastSeenAt} /> : nothing),
    },
    {
      id: "version",
      header: "Version",
      hideBelow: "small",
      cell: (host) => <Version host={host} />,
    },
    {
      id: "created",
      header: "Created",
      sortKey: "createdAt",
      hideBelow: "small",
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      id: "menu",
      header: "Actions",
      hideHeader: true,
      align: "end",
      width: 56,
      cell: (host) => <HostRowMenu host={host} />,
    },
  ];
}

/** Those that are always there. */
const fixedColumns: ReadonlySet<string> = new Set(["name", "menu"]);

export const choosableColumns = (columns: readonly Column<HostV2>[]) =>
  columns.filter(({ id }) => !fixedColumns.has(id));

const defaults: Readonly<Record<HostKind, readonly string[]>> = {
  host: ["status", "address", "role", "tags", "lastSeen", "version"],
  lighthouse: ["status", "address", "staticAddresses", "role", "lastSeen", "version"],
  relay: ["status", "address", "staticAddresses", "role", "lastSeen", "version"],
};
export const defaultColumns = (kind: HostKind): readonly string[] => defaults[kind];

export const shownColumns = (columns: readonly Column<HostV2>[], shown: readonly string[]) =>
  columns.filter(({ id }) => fixedColumns.has(id) || shown.includes(id));

function Addresses({ host: { name, ipAddresses } }: { host: HostV2 }) {
  return (
    <span className={styles.addresses}>
      {ipAddresses.map((address) => (
        <Code key={address} copy={`address of ${name}`}>
          {address}
        </Code>
      ))}
    </span>
  );
}

function RoleCell({ roleID, names }: { roleID: string | null; names: HostNames }) {
  if (roleID === null) return nothing;
  const name = names.roleName(roleID);
  // Until the names are known there is nothing to read.
  return name === undefined ? null : (
    <span className={styles.cut}>
      <RoleLink role={{ id: roleID, name }} />
    </span>
  );
}

function Version({ host: { metadata } }: { host: HostV2 }) {
  const { agent, version, updateAvailable } = metadata;
  const said = agent?.version ?? version;
  if (!said) return nothing;
  return (
    <span className={styles.version}>
      <span>
        {agent?.name === "mobile" && "mobile "}
        {said}
        {updateAvailable && (
          <span title="Update available" className={styles.update}>
            <ArrowUpIcon width={12} height={12} />
            <VisuallyHidden>update available</VisuallyHidden>
          </span>
        )}
      </span>
      {agent?.nebulaVersion && <span className={styles.second}>nebula {agent.nebulaVersion}</span>}
    </span>
  );
}
