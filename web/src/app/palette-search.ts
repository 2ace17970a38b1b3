/** What the palette finds on the server. */
import {
  listHostsV2,
  listNetworks,
  listRoles,
  listRoutes,
  listTags,
  MAX_PAGE_SIZE,
  type HostV2,
  type Network,
  type Page,
  type Role,
  type RouteListItem,
  type TagListItem,
} from "@lightkeeper/contract";
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { hostPath, kindOf } from "../hosts/host-link.tsx";
import { read } from "../lib/query.ts";
import { networkPath } from "../networks/network-link.tsx";
import { rolePath } from "../roles/role-link.tsx";
import { routePath } from "../routes/route-link.tsx";
import { tagPath } from "../tags/tag-link.tsx";
import {
  HostsIcon,
  LighthouseIcon,
  NetworkIcon,
  RelayIcon,
  RoleIcon,
  RouteIcon,
  TagIcon,
} from "../ui/icons.tsx";
import { matching, type Command, type CommandGroup } from "./palette-commands.ts";

const HOSTS_SHOWN = 8;
/** Of more than are shown, those with the word in their name come before those that have it in a tag. */
const HOSTS_ASKED = 50;
const OTHERS_SHOWN = 4;
const SEARCH_LENGTH_MAX = 100;

const hostIcons = { host: HostsIcon, lighthouse: LighthouseIcon, relay: RelayIcon };

const hostCommand = (host: HostV2): Command => ({
  label: host.name,
  description: [...host.ipAddresses, ...host.tags].join(" "),
  icon: hostIcons[kindOf(host)],
  to: hostPath(host),
});
const roleCommand = ({ id, name, description }: Role): Command => ({
  label: name,
  description,
  icon: RoleIcon,
  to: rolePath(id),
});
const tagCommand = ({ name, description }: TagListItem): Command => ({
  label: name,
  description,
  icon: TagIcon,
  to: tagPath(name),
});
const routeCommand = ({ id, name, routableCIDRs }: RouteListItem): Command => ({
  label: name,
  description: Object.keys(routableCIDRs).join(" "),
  icon: RouteIcon,
  to: routePath(id),
});
const networkCommand = ({ id, name, cidr }: Network): Command => ({
  label: name,
  description: cidr,
  icon: NetworkIcon,
  to: networkPath(id),
});

/** Until the answer to the last key press is there, what of the one before still fits. */
function found<Item>(
  { data, isPlaceholderData }: UseQueryResult<Page<Item>>,
  text: string,
  toCommand: (item: Item) => Command,
): Command[] {
  const commands = data?.data.map(toCommand) ?? [];
  return isPlaceholderData ? matching(commands, text) : commands;
}

function byName(commands: Command[], text: string): Command[] {
  const typed = text.toLocaleLowerCase();
  const rank = ({ label }: Command) => {
    const position = label.toLocaleLowerCase().indexOf(typed);
    return position < 0 ? 2 : Math.min(position, 1);
  };
  return commands.toSorted((one, other) => rank(one) - rank(other)).slice(0, HOSTS_SHOWN);
}

export interface PaletteFindings {
  groups: CommandGroup[];
  isSearching: boolean;
  /** Why there may be less than there is. */
  error: Error | undefined;
}

export function usePaletteSearch(text: string): PaletteFindings {
  const typed = text.trim().slice(0, SEARCH_LENGTH_MAX);
  const options = { enabled: typed !== "", placeholderData: keepPreviousData };
  const query = { "filter.search": typed, pageSize: OTHERS_SHOWN };
  const hosts = useQuery({
    ...read(listHostsV2, { query: { ...query, pageSize: HOSTS_ASKED, sort: "name" } }),
    ...options,
  });
  const roles = useQuery({ ...read(listRoles, { query }), ...options });
  const tags = useQuery({ ...read(listTags, { query }), ...options });
  const routes = useQuery({ ...read(listRoutes, { query }), ...options });
  // The API has no search for them, and there are few.
  const networks = useQuery({
    ...read(listNetworks, { query: { pageSize: MAX_PAGE_SIZE } }),
    enabled: typed !== "",
  });
  const all = [hosts, roles, tags, routes, networks];
  const allNetworks = networks.data?.data.map(networkCommand) ?? [];
  return {
    groups:
      typed === ""
        ? []
        : [
            { label: "Hosts", commands: byName(found(hosts, typed, hostCommand), typed) },
            { label: "Roles", commands: found(roles, typed, roleCommand) },
            { label: "Tags", commands: found(tags, typed, tagCommand) },
            { label: "Routes", commands: found(routes, typed, routeCommand) },
            { label: "Networks", commands: matching(allNetworks, typed).slice(0, OTHERS_SHOWN) },
          ],
    isSearching: all.some(({ isFetching }) => isFetching),
    error: all.find(({ error }) => error)?.error ?? undefined,
  };
}
