import type { HostV2 } from "@lightkeeper/contract";
import { IconButton } from "../ui/controls/icon-button.tsx";
import {
  BlockIcon,
  EditIcon,
  KeyIcon,
  MoreIcon,
  RoleIcon,
  TerminalIcon,
  TrashIcon,
} from "../ui/base/icons.tsx";
import { Menu, type MenuProps } from "../ui/overlays/menu.tsx";
import { accessFromPath } from "./access-paths.ts";
import { hostPath } from "./host-link.tsx";

type Items = MenuProps["items"];

interface HostMenuProps {
  host: HostV2;
  /** Items before the built-in ones. */
  leadingItems?: Items;
  bordered?: boolean;
}

const noItems: Items = [];

export function HostMenu({ host, leadingItems = noItems, bordered = false }: HostMenuProps) {
  const at = hostPath(host);
  const enroll = host.metadata.statuses.includes("neverEnrolled") ? "Enroll" : "Enroll again";
  const items: Items = [
    ...leadingItems,
    { label: "Check access from this host", icon: <RoleIcon />, to: accessFromPath(host) },
    ...(host.isBlocked ? [] : [{ label: enroll, writes: true, icon: <KeyIcon />, to: `${at}/enroll` }]),
    "separator",
    host.isBlocked
      ? { label: "Unblock…", writes: true, icon: <BlockIcon />, to: `${at}/unblock` }
      : { label: "Block…", writes: true, icon: <BlockIcon />, danger: true, to: `${at}/block` },
    { label: "Delete…", writes: true, icon: <TrashIcon />, danger: true, to: `${at}/delete` },
  ];
  return (
    <Menu
      trigger={
        <IconButton
          label={`Actions for ${host.name}`}
          icon={<MoreIcon />}
          tooltip={false}
          bordered={bordered}
        />
      }
      items={items}
    />
  );
}

export function HostRowMenu({ host }: { host: HostV2 }) {
  const at = hostPath(host);
  return (
    <HostMenu
      host={host}
      leadingItems={[
        { label: "Edit", writes: true, icon: <EditIcon />, to: `${at}/edit` },
        { label: "Debug", writes: true, icon: <TerminalIcon />, to: `${at}/debug` },
      ]}
    />
  );
}
