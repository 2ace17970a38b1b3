import type { NetworkV2 } from "@lightkeeper/contract";
import { formatCount, formatNumber } from "../lib/format.ts";
import { Code } from "../ui/text/code.tsx";
import type { Column } from "../ui/tables/data-table.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { EditIcon, MoreIcon, TrashIcon } from "../ui/base/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { menuColumn } from "../ui/tables/menu-column.ts";
import { NameCell } from "../ui/text/name-cell.tsx";
import { Time } from "../ui/text/time.tsx";
import { describeCertificates } from "../on-demand/certificate-labels.ts";
import { NetworkLink, networkPath } from "../references/network-link.tsx";
import { cidrLabel } from "./cidr-label.ts";
import styles from "./networks.module.css";

interface NetworkColumnsOptions {
  onDelete: (network: NetworkV2) => void;
}

export function networkColumns({ onDelete }: NetworkColumnsOptions): Column<NetworkV2>[] {
  return [
    {
      id: "name",
      header: "Name",
      width: "34%",
      cell: (network) => (
        <NameCell description={network.description}>
          <NetworkLink network={network} />
        </NameCell>
      ),
    },
    {
      id: "cidr",
      header: "CIDR",
      phone: ({ cidrs }) => <code>{cidrs.join(", ")}</code>,
      cell: (network) => <Cidrs network={network} />,
    },
    {
      id: "certificates",
      header: "Certificates",
      hideBelow: "small",
      phone: "hidden",
      cell: describeCertificates,
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

function Cidrs({ network: { name, cidrs } }: { network: NetworkV2 }) {
  return (
    <span className={styles.cidrs}>
      {cidrs.map((cidr) => (
        <Code key={cidr} copy={`${cidrLabel(cidr, cidrs)} of ${name}`}>
          {cidr}
        </Code>
      ))}
    </span>
  );
}

function RowMenu({ network, onDelete }: NetworkColumnsOptions & { network: NetworkV2 }) {
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
