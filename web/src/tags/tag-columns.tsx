import type { TagListItem } from "@lightkeeper/contract";
import { HostCountLink } from "../references/host-count-link.tsx";
import { formatCount, formatNumber } from "../lib/format.ts";
import type { Column } from "../ui/tables/data-table.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { EditIcon, MoreIcon, TrashIcon } from "../ui/base/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { menuColumn } from "../ui/tables/menu-column.ts";
import { NameCell } from "../ui/text/name-cell.tsx";
import { TagLink, tagPath } from "../references/tag-link.tsx";

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
    {
      id: "priority",
      header: "Priority",
      align: "end",
      phone: ({ priority }) => `Priority ${formatNumber(priority)}`,
      cell: ({ priority }) => formatNumber(priority),
    },
    {
      id: "hosts",
      header: "Hosts",
      align: "end",
      phone: ({ hostCount }) => formatCount(hostCount, "host"),
      cell: ({ name, hostCount }) => <HostCountLink count={hostCount} filter={{ tag: name }} />,
    },
    ...contentColumns,
    menuColumn((tag) => <RowMenu tag={tag} onDelete={onDelete} />),
  ];
}

/** What the tag adds to its hosts. */
const contentColumns: readonly Column<TagListItem>[] = [
  {
    id: "rules",
    header: "Rules",
    align: "end",
    hideBelow: "small",
    phone: ({ firewallRulesCount }) => formatCount(firewallRulesCount, "rule"),
    cell: ({ firewallRulesCount }) => formatNumber(firewallRulesCount),
  },
  {
    id: "routes",
    header: "Routes",
    align: "end",
    hideBelow: "small",
    phone: "hidden",
    cell: ({ routeSubscriptions }) => formatNumber(routeSubscriptions.length),
  },
  {
    id: "settings",
    header: "Settings",
    align: "end",
    hideBelow: "small",
    phone: "hidden",
    cell: ({ configOverrides }) => formatNumber(configOverrides.length),
  },
];

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
