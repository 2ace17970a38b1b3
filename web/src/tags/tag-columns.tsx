import type { TagListItem } from "@lightkeeper/contract";
import { HostCountLink } from "../hosts/host-count-link.tsx";
import { formatNumber } from "../lib/format.ts";
import type { Column } from "../ui/data-table.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { EditIcon, MoreIcon, TrashIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { menuColumn } from "../ui/menu-column.ts";
import { NameCell } from "../ui/name-cell.tsx";
import { TagLink, tagPath } from "./tag-link.tsx";

interface TagColumnsOptions {
  onDelete: (tag: TagListItem) => void;
}

export function tagColumns({ onDelete }: TagColumnsOptions): Column<TagListItem>[] {
  return [
    {
      id: "name",
      header: "Name",
      width: "45%",
      cell: ({ name, description }) => (
        <NameCell description={description}>
          <TagLink name={name} />
        </NameCell>
      ),
    },
    { id: "priority", header: "Priority", align: "end", cell: ({ priority }) => formatNumber(priority) },
    {
      id: "hosts",
      header: "Hosts",
      align: "end",
      cell: ({ name, hostCount }) => <HostCountLink count={hostCount} filter={{ tag: name }} />,
    },
    {
      id: "rules",
      header: "Rules",
      align: "end",
      hideBelow: "small",
      cell: ({ firewallRulesCount }) => formatNumber(firewallRulesCount),
    },
    {
      id: "routes",
      header: "Routes",
      align: "end",
      hideBelow: "small",
      cell: ({ routeSubscriptions }) => formatNumber(routeSubscriptions.length),
    },
    {
      id: "settings",
      header: "Settings",
      align: "end",
      hideBelow: "small",
      cell: ({ configOverrides }) => formatNumber(configOverrides.length),
    },
    menuColumn((tag) => <RowMenu tag={tag} onDelete={onDelete} />),
  ];
}

function RowMenu({ tag, onDelete }: TagColumnsOptions & { tag: TagListItem }) {
  return (
    <Menu
      trigger={<IconButton label={`Actions for ${tag.name}`} icon={<MoreIcon />} tooltip={false} />}
      items={[
        { label: "Edit", writes: true, icon: <EditIcon />, to: tagPath(tag.name) },
        { label: "Delete…", writes: true, icon: <TrashIcon />, danger: true, onSelect: () => onDelete(tag) },
      ]}
    />
  );
}
