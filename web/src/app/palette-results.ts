/** The palette's commands for objects of the server. */
import type { HostV2, Member, Network, Role, RouteListItem, TagListItem } from "@lightkeeper/contract";
import { rotatePath } from "../certificate-authorities/ca-paths.ts";
import { hostPath, kindOf } from "../references/host-link.tsx";
import { presenceOf } from "../hosts/host-status.tsx";
import { memberRoleLabels } from "../references/member-role-labels.ts";
import { networkPath } from "../references/network-link.tsx";
import { rolePath } from "../references/role-link.tsx";
import { routePath } from "../references/route-link.tsx";
import { memberStateLabels } from "../settings/member-state-labels.ts";
import { MEMBERS_PATH } from "../settings/settings-paths.ts";
import { tagPath } from "../references/tag-link.tsx";
import {
  AccountIcon,
  BlockIcon,
  HostsIcon,
  LighthouseIcon,
  NetworkIcon,
  RefreshIcon,
  RelayIcon,
  RoleIcon,
  RouteIcon,
  TagIcon,
} from "../ui/base/icons.tsx";
import { BLOCK_PREFIX, type Command } from "./palette-commands.ts";

const hostIcons = { host: HostsIcon, lighthouse: LighthouseIcon, relay: RelayIcon };

/** Hosts in different networks can have the same name, so network, address and status are shown. */
const hostDetails = (host: HostV2, networkName: string | undefined) => ({
  description: [networkName, ...host.ipAddresses, ...host.tags].filter(Boolean).join(" · "),
  status: presenceOf(host),
});

export const hostCommand = (host: HostV2, networkName: string | undefined): Command => ({
  ...hostDetails(host, networkName),
  label: host.name,
  icon: hostIcons[kindOf(host)],
  to: hostPath(host),
});

/** Opens the confirmation. */
export const blockCommand = (host: HostV2, networkName: string | undefined): Command => ({
  ...hostDetails(host, networkName),
  label: `${BLOCK_PREFIX}${host.name}`,
  icon: BlockIcon,
  to: `${hostPath(host)}/block`,
});

export const roleCommand = ({ id, name, description }: Role): Command => ({
  label: name,
  description,
  icon: RoleIcon,
  to: rolePath(id),
});

export const tagCommand = ({ name, description }: TagListItem): Command => ({
  label: name,
  description,
  icon: TagIcon,
  to: tagPath(name),
});

export const routeCommand = ({ id, name, routableCIDRs }: RouteListItem): Command => ({
  label: name,
  description: Object.keys(routableCIDRs).join(" "),
  icon: RouteIcon,
  to: routePath(id),
});

export const networkCommand = ({ id, name, cidr }: Network): Command => ({
  label: name,
  description: cidr,
  icon: NetworkIcon,
  to: networkPath(id),
});

export const rotateCommand = ({ id, name, cidr }: Network): Command => ({
  label: `Rotate the CA of ${name}`,
  keywords: "certificate authority renew replace",
  description: cidr,
  icon: RefreshIcon,
  to: rotatePath(id),
});

export const memberCommand = ({ email, role, kind, removedAt }: Member): Command => ({
  label: email,
  keywords: "member user person",
  description: [memberRoleLabels[role].label, removedAt === null ? memberStateLabels[kind] : "Removed"].join(
    " · ",
  ),
  icon: AccountIcon,
  to: MEMBERS_PATH,
});
