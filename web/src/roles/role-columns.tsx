import type { Role } from "@lightkeeper/contract";
import { HostCountLink } from "../references/host-count-link.tsx";
import { formatCount, formatNumber } from "../lib/format.ts";
import type { Column } from "../ui/tables/data-table.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { CopyIcon, EditIcon, MoreIcon, TrashIcon } from "../ui/base/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { menuColumn } from "../ui/tables/menu-column.ts";
import { NameCell } from "../ui/text/name-cell.tsx";
import { Time } from "../ui/text/time.tsx";
import { roleCopyPath, RoleLink, rolePath } from "../references/role-link.tsx";

interface RoleColumnsOptions {
  onDelete: (role: Role) => void;
}

export function roleColumns({ onDelete }: RoleColumnsOptions): Column<Role>[] {
  return [
    {
      id: "name",
      header: "Name",
      width: "50%",
      cell: (role) => (
        <NameCell description={role.description}>
          <RoleLink role={role} />
        </NameCell>
      ),
    },
    {
      id: "hosts",
      header: "Hosts",
      align: "end",
      phone: ({ hostCount }) => formatCount(hostCount, "host"),
      cell: ({ id, hostCount }) => <HostCountLink count={hostCount} filter={{ roleID: id }} />,
    },
    {
      id: "rules",
      header: "Rules",
      align: "end",
      phone: ({ firewallRules }) => formatCount(firewallRules.length, "rule"),
      cell: ({ firewallRules }) => formatNumber(firewallRules.length),
    },
    {
      id: "changed",
      header: "Changed",
      hideBelow: "small",
      phone: "hidden",
      cell: ({ modifiedAt }) => <Time at={modifiedAt} />,
    },
    menuColumn((role) => <RowMenu role={role} onDelete={onDelete} />),
  ];
}

function RowMenu({ role, onDelete }: RoleColumnsOptions & { role: Role }) {
  return (
    <Menu
      trigger={<IconButton label={`Actions for ${role.name}`} icon={<MoreIcon />} tooltip={false} />}
      items={[
        { label: "Edit", writes: true, icon: <EditIcon />, to: rolePath(role.id) },
        { label: "Duplicate", writes: true, icon: <CopyIcon />, to: roleCopyPath(role.id) },
        { label: "Delete…", writes: true, icon: <TrashIcon />, danger: true, onSelect: () => onDelete(role) },
      ]}
    />
  );
}
