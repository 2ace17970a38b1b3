import type { HostV2 } from "@lightkeeper/contract";
import { addressFamilyOf } from "../lib/address-family.ts";
import { formatCount } from "../lib/format.ts";
import { RoleLink } from "../references/role-link.tsx";
import { TagLine } from "../references/tag-chips.tsx";
import { Code } from "../ui/text/code.tsx";
import { copyEntry } from "../ui/overlays/copy-entry.tsx";
import type { Column } from "../ui/tables/data-table.tsx";
import { FittingLine } from "../ui/tables/fitting-line.tsx";
import { ArrowUpIcon } from "../ui/base/icons.tsx";
import { menuColumn } from "../ui/tables/menu-column.ts";
import { NameCell } from "../ui/text/name-cell.tsx";
import { Time } from "../ui/text/time.tsx";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import { HostLink, kindOf, type HostKind } from "../references/host-link.tsx";
import { HostRowMenu } from "../references/host-menu.tsx";
import type { HostNames } from "../references/host-names.ts";
import { HostStatus } from "../references/host-status.tsx";
import styles from "./hosts.module.css";

const kindLabels: Readonly<Record<HostKind, string>> = { host: "", lighthouse: "Lighthouse", relay: "Relay" };
const nothing = <span className={styles.nothing}>—</span>;

interface HostColumnsOptions {
  /** The list contains lighthouses and relays too. */
  withKind: boolean;
  withNetwork: boolean;
}

/** Every column, in display order. */
export const hostColumns = (names: HostNames, options: HostColumnsOptions): Column<HostV2>[] => [
  ...identityColumns(names, options),
  ...assignmentColumns(names),
  ...agentColumns,
  menuColumn((host) => <HostRowMenu host={host} />),
];

function identityColumns(names: HostNames, { withKind, withNetwork }: HostColumnsOptions): Column<HostV2>[] {
  const secondLine = (host: HostV2) =>
    [withKind && kindLabels[kindOf(host)], withNetwork && names.networkName(host.networkID)]
      .filter(Boolean)
      .join(" · ");
  return [
    {
      id: "name",
      header: "Name",
      sortKey: "name",
      width: "18%",
      cell: (host) => (
        <NameCell description={secondLine(host)}>
          <HostLink host={host} />
        </NameCell>
      ),
    },
    { id: "status", header: "Status", phone: "beside", cell: (host) => <HostStatus host={host} /> },
    {
      id: "address",
      header: "Address",
      sortKey: "ipAddress",
      hideBelow: "narrowest",
      phone: (host) => [host.ipAddresses[0], secondLine(host)].filter(Boolean).join(" · "),
      cell: (host) => <Addresses host={host} />,
    },
  ];
}

const assignmentColumns = (names: HostNames): Column<HostV2>[] => [
  {
    id: "network",
    header: "Network",
    hideBelow: "small",
    width: "14%",
    phone: ({ networkID }) => names.networkName(networkID),
    cell: ({ networkID }) => <bdi className={styles.cut}>{names.networkName(networkID)}</bdi>,
  },
  {
    id: "staticAddresses",
    header: "Static addresses",
    hideBelow: "small",
    phone: "hidden",
    width: "26%",
    cell: ({ staticAddresses }) =>
      staticAddresses.length > 0 ? (
        <FittingLine texts={staticAddresses} as="code" noun="addresses" entryOf={copyEntry} />
      ) : (
        nothing
      ),
  },
  {
    id: "role",
    header: "Role",
    hideBelow: "narrow",
    phone: "hidden",
    width: "12%",
    cell: ({ roleID }) => <RoleCell roleID={roleID} names={names} />,
  },
  {
    id: "tags",
    header: "Tags",
    hideBelow: "small",
    width: "26%",
    phone: ({ tags }) => (tags.length > 1 ? formatCount(tags.length, "tag") : tags[0]),
    cell: ({ tags }) => (tags.length > 0 ? <TagLine tags={tags} /> : nothing),
  },
];

const agentColumns: Column<HostV2>[] = [
  {
    id: "lastSeen",
    header: "Last seen",
    sortKey: "lastSeenAt",
    phone: "hidden",
    cell: ({ metadata: { lastSeenAt } }) => (lastSeenAt ? <Time at={lastSeenAt} past /> : nothing),
  },
  {
    id: "version",
    header: "Version",
    hideBelow: "small",
    phone: "hidden",
    cell: (host) => <Version host={host} />,
  },
  {
    id: "created",
    header: "Created",
    sortKey: "createdAt",
    hideBelow: "small",
    phone: "hidden",
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
];

/** Columns that can't be hidden. */
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

/** One line per address: a long one is cut off. */
function Addresses({ host: { name, ipAddresses } }: { host: HostV2 }) {
  const what = (address: string) =>
    ipAddresses.length > 1 ? `${addressFamilyOf(address)} address of ${name}` : `address of ${name}`;
  return (
    <span className={styles.addresses}>
      {ipAddresses.map((address) => (
        <span key={address} title={address} className={styles.address}>
          <Code copy={what(address)}>{address}</Code>
        </span>
      ))}
    </span>
  );
}

function RoleCell({ roleID, names }: { roleID: string | null; names: HostNames }) {
  if (roleID === null) return nothing;
  const name = names.roleName(roleID);
  // Empty until the names are loaded, instead of an ID that is soon replaced.
  return name === undefined ? null : (
    <span className={styles.cut}>
      <RoleLink role={{ id: roleID, name }} />
    </span>
  );
}

function Version({ host: { metadata } }: { host: HostV2 }) {
  const { agent, version, updateAvailable } = metadata;
  const agentVersion = agent?.version ?? version;
  if (!agentVersion) return nothing;
  return (
    <span className={styles.version}>
      <span>
        {agent?.name === "mobile" && "mobile "}
        {agentVersion}
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
