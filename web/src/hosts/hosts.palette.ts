import { blockHostV2, listHostsV2, type HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import type { Command, PaletteAction, PaletteMatches, PaletteSearch } from "../lib/palette.ts";
import { canCall } from "../lib/permissions.ts";
import { read } from "../lib/query.ts";
import { hostKinds, hostPath, kindOf } from "../references/host-link.tsx";
import {
  commandsFrom,
  paletteNetworksQuery,
  searchOptions,
  wholeListOptions,
} from "../on-demand/palette-search.ts";
import { BlockIcon, DownloadIcon, HostsIcon, LighthouseIcon, RelayIcon } from "../ui/base/icons.tsx";
import { exportAllHosts } from "./export-all-hosts.ts";
import { presenceOf } from "../references/host-status.tsx";

/** Followed by the name of the host to block. */
const BLOCK_PREFIX = "Block ";
const HOSTS_SHOWN = 8;
/** More than are shown, because hosts that match by name rank before hosts that match by tag. */
const HOSTS_REQUESTED = 50;

const icons = { host: HostsIcon, lighthouse: LighthouseIcon, relay: RelayIcon };

export const blockHost: PaletteAction = {
  page: hostKinds.host.path,
  endpoint: blockHostV2,
  command: { label: "Block host…", keywords: "revoke disconnect", icon: BlockIcon, fill: BLOCK_PREFIX },
};

export const exportHosts: PaletteAction = {
  page: hostKinds.host.path,
  command: {
    label: "Export hosts",
    keywords: "download csv lighthouses relays",
    icon: DownloadIcon,
    run: () => void exportAllHosts(),
  },
};

/** Hosts in different networks can have the same name, so network, address and status are shown. */
const hostDetails = (host: HostV2, networkName: string | undefined) => ({
  description: [networkName, ...host.ipAddresses, ...host.tags].filter(Boolean).join(" · "),
  status: presenceOf(host),
});

const hostCommand = (host: HostV2, networkName: string | undefined): Command => ({
  ...hostDetails(host, networkName),
  label: host.name,
  icon: icons[kindOf(host)],
  to: hostPath(host),
});

/** Opens the confirmation. */
const blockCommand = (host: HostV2, networkName: string | undefined): Command => ({
  ...hostDetails(host, networkName),
  label: `${BLOCK_PREFIX}${host.name}`,
  icon: BlockIcon,
  to: `${hostPath(host)}/block`,
});

/** "web-1" for the text "block web-1". */
const nameToBlock = (text: string): string | undefined =>
  text.toLowerCase().startsWith(BLOCK_PREFIX.toLowerCase())
    ? text.slice(BLOCK_PREFIX.length).trim()
    : undefined;

function rankByName(commands: Command[], text: string): Command[] {
  const typed = text.trim().toLocaleLowerCase();
  const rank = ({ label }: Command) => {
    const position = label.toLocaleLowerCase().indexOf(typed);
    return position < 0 ? 2 : Math.min(position, 1);
  };
  return commands.toSorted((a, b) => rank(a) - rank(b)).slice(0, HOSTS_SHOWN);
}

function useHosts(search: PaletteSearch, settledNameToBlock: string | undefined) {
  const query = {
    pageSize: HOSTS_REQUESTED,
    sort: "name",
    ...(settledNameToBlock !== undefined && { "filter.isBlocked": false }),
    ...(settledNameToBlock !== "" && { "filter.search": settledNameToBlock ?? search.settledText.trim() }),
  } as const;
  return useQuery({ ...read(listHostsV2, { query }), ...searchOptions(search) });
}

export function useHostSearch(search: PaletteSearch): PaletteMatches {
  const { text, settledText, isOutdated, person } = search;
  const canBlock = canCall(person, blockHostV2);
  const hosts = useHosts(search, canBlock ? nameToBlock(settledText) : undefined);
  const networks = useQuery({ ...paletteNetworksQuery, ...wholeListOptions(search) });
  const networkOf = ({ networkID }: HostV2) => networks.data?.data.find(({ id }) => id === networkID)?.name;
  const queries = [hosts, networks];
  const name = canBlock ? nameToBlock(text) : undefined;
  if (name === undefined) {
    const commands = commandsFrom(hosts, (host) => hostCommand(host, networkOf(host)), search);
    return { group: { label: "Hosts", commands: rankByName(commands, text) }, queries };
  }
  const toCommand = (host: HostV2) => (host.isBlocked ? [] : blockCommand(host, networkOf(host)));
  const commands = commandsFrom(hosts, toCommand, { text: name, isOutdated });
  return { group: { label: "Block a host", commands: rankByName(commands, text) }, queries };
}
