import { useMemo, useState } from "react";
import { formatCount, formatNumber } from "../lib/format.ts";
import { HostLink } from "../references/host-link.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { DataTable, type Column } from "../ui/tables/data-table.tsx";
import { NameCell } from "../ui/text/name-cell.tsx";
import { summarize, type MapGroup } from "./map-groups.ts";
import { countPaths, peerOf, type MapHost, type MapTunnel } from "./map-model.ts";
import styles from "./map-page.module.css";
import { MarkStatus } from "./map-panel.tsx";
import type { LoadedScene, RoleName } from "./use-map-scene.ts";

const PAGE_SIZE = 50;
const PEERS_SHOWN_MAX = 3;

export interface MapTableProps {
  scene: LoadedScene;
  roleName: RoleName;
  isRefreshing: boolean;
  onClear: () => void;
}

interface Row {
  readonly host: MapHost;
  readonly group: MapGroup;
}

/** The tunnels of each host; reading all of them for each row would take too long. */
function indexTunnels(tunnels: readonly MapTunnel[]): ReadonlyMap<number, readonly MapTunnel[]> {
  const index = new Map<number, MapTunnel[]>();
  for (const tunnel of tunnels)
    for (const end of [tunnel.first, tunnel.second]) {
      const listed = index.get(end);
      if (listed) listed.push(tunnel);
      else index.set(end, [tunnel]);
    }
  return index;
}

/** "db-1, db-2, db-3 and 4 more" */
function listPeers(hosts: readonly MapHost[], tunnels: readonly MapTunnel[], position: number): string {
  const names = tunnels.slice(0, PEERS_SHOWN_MAX).map((tunnel) => hosts[peerOf(tunnel, position)]?.name);
  const rest = tunnels.length - names.length;
  return names.join(", ") + (rest > 0 ? ` and ${formatNumber(rest)} more` : "");
}

function countTunnels({ isReporting, mark }: MapHost, tunnels: readonly MapTunnel[]): string {
  if (tunnels.length === 0) return isReporting || mark === "blocked" ? "None" : "Not reported";
  const { direct, relayed } = countPaths(tunnels);
  const parts = [direct > 0 && `${direct} direct`, relayed > 0 && `${relayed} relayed`].filter(Boolean);
  return parts.join(", ") || formatCount(tunnels.length, "tunnel");
}

function columnsOf({ model, tunnels }: LoadedScene, roleName: RoleName): Column<Row>[] {
  const index = indexTunnels(tunnels);
  const tunnelsAt = (position: number) => index.get(position) ?? [];
  const routesOf = (position: number) => model.routes.filter(({ router }) => router === position);
  return [
    {
      id: "name",
      header: "Name",
      cell: ({ host }) => (
        <NameCell description={host.infrastructure && kindLabels[host.infrastructure]}>
          <HostLink host={host} />
        </NameCell>
      ),
    },
    { id: "status", header: "Status", phone: "beside", cell: ({ host }) => <MarkStatus mark={host.mark} /> },
    { id: "group", header: "Group", cell: ({ group }) => <bdi>{group.label}</bdi> },
    {
      id: "role",
      header: "Role",
      hideBelow: "small",
      cell: ({ host }) => <bdi>{(host.roleID && roleName(host.roleID)) ?? "None"}</bdi>,
    },
    { id: "address", header: "Address", hideBelow: "narrow", cell: ({ host }) => host.ipAddress },
    {
      id: "tunnels",
      header: "Tunnels",
      width: "30%",
      cell: ({ host }) => (
        <>
          {countTunnels(host, tunnelsAt(host.position))}
          <small className={styles.peers}>
            <bdi>{listPeers(model.hosts, tunnelsAt(host.position), host.position)}</bdi>
          </small>
        </>
      ),
    },
    {
      id: "routes",
      header: "Routes",
      hideBelow: "narrow",
      cell: ({ host }) =>
        routesOf(host.position)
          .flatMap(({ subnets }) => subnets)
          .join(", "),
    },
  ];
}

const kindLabels = { lighthouse: "Lighthouse", relay: "Relay", router: "Router" };

/** The same content as the picture, as text. */
export function MapTable({ scene, roleName, isRefreshing, onClear }: MapTableProps) {
  const { groups, matches } = scene;
  const rows = useMemo(
    () =>
      groups
        .flatMap((group) => group.hosts.map((host) => ({ host, group })))
        .filter(({ host }) => matches?.has(host.position) ?? true),
    [groups, matches],
  );
  const columns = useMemo(() => columnsOf(scene, roleName), [scene, roleName]);
  const { shown, pagination } = usePages(rows);
  return (
    <DataTable
      label="Hosts on the map"
      columns={columns}
      rows={shown}
      rowKey={({ host }) => host.id}
      refreshing={isRefreshing}
      pagination={pagination}
      filter={matches && { description: "No host matches your search.", onClear }}
      empty={<EmptyState title="No hosts yet">Add hosts to see them here.</EmptyState>}
    />
  );
}

function usePages<Row>(rows: readonly Row[]) {
  const [chosenStart, setStart] = useState(0);
  const start = chosenStart < rows.length ? chosenStart : 0;
  const shown = rows.slice(start, start + PAGE_SIZE);
  const end = start + shown.length;
  return {
    shown,
    pagination: {
      start,
      count: shown.length,
      total: rows.length,
      onPrevious: start > 0 ? () => setStart(start - PAGE_SIZE) : undefined,
      onNext: end < rows.length ? () => setStart(end) : undefined,
    },
  };
}

const groupColumns: Column<MapGroup>[] = [
  { id: "name", header: "Group", cell: ({ label }) => <bdi>{label}</bdi> },
  { id: "hosts", header: "Hosts", align: "end", cell: ({ counts }) => formatNumber(counts.hosts) },
  { id: "states", header: "Statuses", width: "60%", cell: summarize },
];

/** For a network whose hosts are too many for a picture. */
export function GroupTable({ scene: { groups } }: { scene: LoadedScene }) {
  const { shown, pagination } = usePages(groups);
  return (
    <DataTable
      label="Groups on the map"
      columns={groupColumns}
      rows={shown}
      rowKey={({ key }) => key}
      pagination={pagination}
      empty={<EmptyState title="No hosts yet">Add hosts to see them here.</EmptyState>}
    />
  );
}
