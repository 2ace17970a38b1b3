import type { RouteListItem } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { HostLink } from "../references/host-link.tsx";
import { hostQuery } from "../references/hosts.queries.ts";
import { formatNumber } from "../lib/format.ts";
import { copyEntry } from "../ui/overlays/copy-entry.tsx";
import type { Column } from "../ui/tables/data-table.tsx";
import { FittingLine } from "../ui/tables/fitting-line.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { EditIcon, MoreIcon, TrashIcon } from "../ui/base/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { menuColumn } from "../ui/tables/menu-column.ts";
import { NameCell } from "../ui/text/name-cell.tsx";
import { Status } from "../ui/feedback/status.tsx";
import { RouteLink, routePath } from "../references/route-link.tsx";

interface RouteColumnsOptions {
  onDelete: (route: RouteListItem) => void;
}

export function routeColumns({ onDelete }: RouteColumnsOptions): Column<RouteListItem>[] {
  return [
    {
      id: "name",
      header: "Name",
      width: "35%",
      cell: (route) => (
        <NameCell description={route.description}>
          <RouteLink route={route} />
        </NameCell>
      ),
    },
    {
      id: "subnets",
      header: "Subnets",
      width: "30%",
      phone: (route) => summarizeSubnets(route),
      cell: (route) => <Subnets route={route} />,
    },
    {
      id: "router",
      header: "Router",
      width: "25%",
      phone: ({ routerHostID }) => <RouterName hostID={routerHostID ?? null} />,
      cell: ({ routerHostID }) => <Router hostID={routerHostID ?? null} />,
    },
    {
      id: "rules",
      header: "Rules",
      align: "end",
      hideBelow: "small",
      phone: "hidden",
      cell: ({ firewallRulesCount }) => formatNumber(firewallRulesCount),
    },
    menuColumn((route) => <RowMenu route={route} onDelete={onDelete} />),
  ];
}

function Subnets({ route: { routableCIDRs } }: { route: RouteListItem }) {
  const cidrs = Object.keys(routableCIDRs);
  if (cidrs.length === 0) return <Status tone="warn">No subnets</Status>;
  return <FittingLine texts={cidrs} as="code" noun="subnets" entryOf={copyEntry} />;
}

/** The first subnet and the number of further ones. */
function summarizeSubnets({ routableCIDRs }: RouteListItem) {
  const [first, ...others] = Object.keys(routableCIDRs);
  if (first === undefined) return <Status tone="warn">No subnets</Status>;
  return (
    <>
      <code>{first}</code>
      {others.length > 0 && ` +${others.length}`}
    </>
  );
}

function RouterName({ hostID }: { hostID: string | null }) {
  const { data: host } = useQuery({ ...hostQuery(hostID ?? ""), enabled: hostID !== null });
  if (hostID === null) return <Status tone="warn">No router</Status>;
  return host ? <bdi title={host.name}>{host.name}</bdi> : null;
}

function Router({ hostID }: { hostID: string | null }) {
  const { data: host } = useQuery({ ...hostQuery(hostID ?? ""), enabled: hostID !== null });
  if (hostID === null) return <Status tone="warn">No router</Status>;
  if (!host) return null;
  return (
    <NameCell>
      <HostLink host={host} />
    </NameCell>
  );
}

function RowMenu({ route, onDelete }: RouteColumnsOptions & { route: RouteListItem }) {
  return (
    <Menu
      trigger={<IconButton label={`Actions for ${route.name}`} icon={<MoreIcon />} tooltip={false} />}
      items={[
        { label: "Edit", writes: true, icon: <EditIcon />, to: routePath(route.id) },
        {
          label: "Delete…",
          writes: true,
          icon: <TrashIcon />,
          danger: true,
          onSelect: () => onDelete(route),
        },
      ]}
    />
  );
}
