import type { NetworkUpgrade } from "@lightkeeper/contract";
import { Status } from "../ui/feedback/status.tsx";
import { type Column, DataTable } from "../ui/tables/data-table.tsx";
import { NameLink } from "../ui/text/name-link.tsx";
import { Time } from "../ui/text/time.tsx";

type WaitingHost = NetworkUpgrade["waitingFor"]["hosts"][number];

const columns: readonly Column<WaitingHost>[] = [
  {
    id: "name",
    header: "Name",
    width: "36%",
    cell: ({ id, name }) => <NameLink to={`/hosts/${encodeURIComponent(id)}`}>{name}</NameLink>,
  },
  {
    id: "status",
    header: "Status",
    phone: "beside",
    cell: ({ isOnline }) => <Status tone={isOnline ? "ok" : "off"}>{isOnline ? "Online" : "Offline"}</Status>,
  },
  {
    id: "seen",
    header: "Last seen",
    cell: ({ lastSeenAt }) => (lastSeenAt ? <Time at={lastSeenAt} past /> : "Never"),
  },
];

const nebulaColumn: Column<WaitingHost> = {
  id: "nebula",
  header: "Nebula",
  cell: ({ nebulaVersion }) => nebulaVersion ?? "Unknown",
};

interface WaitingHostsTableProps {
  hosts: readonly WaitingHost[];
  /** The step waits for a version of Nebula. */
  showsNebula: boolean;
}

export function WaitingHostsTable({ hosts, showsNebula }: WaitingHostsTableProps) {
  return (
    <DataTable
      label="Hosts that the upgrade waits for"
      columns={showsNebula ? [...columns, nebulaColumn] : columns}
      rows={hosts}
      rowKey={({ id }) => id}
      empty={null}
    />
  );
}
