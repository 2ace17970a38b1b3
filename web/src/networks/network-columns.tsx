import type { Network } from "@lightkeeper/contract";
import { formatCount, formatNumber } from "../lib/format.ts";
import { Code } from "../ui/text/code.tsx";
import type { Column } from "../ui/tables/data-table.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { EditIcon, MoreIcon, TrashIcon } from "../ui/base/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { menuColumn } from "../ui/tables/menu-column.ts";
import { NameCell } from "../ui/text/name-cell.tsx";
import { Time } from "../ui/text/time.tsx";
import { NetworkLink, networkPath } from "../references/network-link.tsx";

interface NetworkColumnsOptions {
  onDelete: (network: Network) => void;
}

export function networkColumns({ onDelete }: NetworkColumnsOptions): Column<Network>[] {
  return [
    {
      id: "name",
      header: "Name",
      width: "40%",
      cell: (network) => (
        <NameCell description={network.description}>
          <NetworkLink network={network} />
        </NameCell>
      ),
    },
    {
      id: "cidr",
      header: "CIDR",
      phone: ({ cidr }) => <code>{cidr}</code>,
      cell: ({ name, cidr }) => <Code copy={`CIDR of ${name}`}>{cidr}</Code>,
    },
    {
      id: "hosts",
      header: "Hosts",
      align: "end",
      phone: ({ hostCount }) => formatCount(hostCount, "host"),
      cell: ({ hostCount }) => formatNumber(hostCount),
    },
    {
      id: "created",
      header: "Created",
      hideBelow: "small",
      phone: "hidden",
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    menuColumn((network) => <RowMenu network={network} onDelete={onDelete} />),
  ];
}

function RowMenu({ network, onDelete }: NetworkColumnsOptions & { network: Network }) {
  return (
    <Menu
      trigger={<IconButton label={`Actions for ${network.name}`} icon={<MoreIcon />} tooltip={false} />}
      items={[
        { label: "Edit", writes: true, icon: <EditIcon />, to: networkPath(network.id) },
        {
          label: "Delete…",
          writes: true,
          icon: <TrashIcon />,
          danger: true,
          onSelect: () => onDelete(network),
        },
      ]}
    />
  );
}
