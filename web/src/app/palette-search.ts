/** Searches objects and documentation for the palette. */
import {
  blockHostV2,
  listHostsV2,
  listMembers,
  listNetworks,
  listRoles,
  listRoutes,
  listTags,
  MAX_PAGE_SIZE,
  rotateCa,
  type HostV2,
  type Page,
} from "@lightkeeper/contract";
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Person } from "../lib/current-user.ts";
import { canCall } from "../lib/permissions.ts";
import { read } from "../lib/query.ts";
import { highestFirst } from "../references/tags.queries.ts";
import { startTimer } from "../ui/base/timer.ts";
import { BLOCK_PREFIX, matching, type Command, type CommandGroup } from "./palette-commands.ts";
import { canSearchDocs, docsCommands, docsIndexQuery } from "./palette-docs.ts";
import {
  blockCommand,
  hostCommand,
  memberCommand,
  networkCommand,
  roleCommand,
  rotateCommand,
  routeCommand,
  tagCommand,
} from "./palette-results.ts";

const HOSTS_SHOWN = 8;
/** More than are shown, because hosts that match by name rank before hosts that match by tag. */
const HOSTS_REQUESTED = 50;
const OTHERS_SHOWN = 4;
const SEARCH_LENGTH_MAX = 100;
const SEARCH_DELAY_MS = 120;

/** Searches for the first letter immediately, and for further letters after a pause. */
function useSettledText(text: string): string {
  const [settled, setSettled] = useState(text);
  const isFirst = settled === "" || text === "";
  if (isFirst && settled !== text) setSettled(text);
  useEffect(() => startTimer(() => setSettled(text), SEARCH_DELAY_MS).clear, [text]);
  return isFirst ? text : settled;
}

/** "web-1" for the text "block web-1". */
const nameToBlock = (text: string): string | undefined =>
  text.toLowerCase().startsWith(BLOCK_PREFIX.toLowerCase())
    ? text.slice(BLOCK_PREFIX.length).trim()
    : undefined;

/** Results of an earlier text are filtered until the current ones arrive. */
function toCommands<Item>(
  { data, isPlaceholderData }: UseQueryResult<Page<Item>>,
  text: string,
  toCommand: (item: Item) => Command | Command[],
  isOutdated: boolean,
): Command[] {
  const commands = data?.data.flatMap(toCommand) ?? [];
  return isOutdated || isPlaceholderData ? matching(commands, text) : commands;
}

function rankByName(commands: Command[], text: string): Command[] {
  const typed = text.toLocaleLowerCase();
  const rank = ({ label }: Command) => {
    const position = label.toLocaleLowerCase().indexOf(typed);
    return position < 0 ? 2 : Math.min(position, 1);
  };
  return commands.toSorted((a, b) => rank(a) - rank(b)).slice(0, HOSTS_SHOWN);
}

const firstMatching = (commands: readonly Command[], text: string) =>
  matching(commands, text).slice(0, OTHERS_SHOWN);

/** Lists that the server searches. */
function useSearches(text: string, canBlock: boolean) {
  const settled = useSettledText(text);
  const typed = settled.trim();
  const options = { enabled: typed !== "", placeholderData: keepPreviousData };
  const query = { "filter.search": typed, pageSize: OTHERS_SHOWN };
  const toBlock = canBlock ? nameToBlock(settled) : undefined;
  const hostQuery = {
    pageSize: HOSTS_REQUESTED,
    sort: "name",
    ...(toBlock !== undefined && { "filter.isBlocked": false }),
    ...(toBlock !== "" && { "filter.search": toBlock ?? typed }),
  } as const;
  const hosts = useQuery({ ...read(listHostsV2, { query: hostQuery }), ...options });
  const roles = useQuery({ ...read(listRoles, { query }), ...options });
  const tags = useQuery({ ...read(listTags, { query: { ...query, ...highestFirst } }), ...options });
  const routes = useQuery({ ...read(listRoutes, { query }), ...options });
  return { hosts, roles, tags, routes, isOutdated: typed !== text.trim() };
}

/** Short lists that the server can't search: each is loaded once and filtered here. */
function useShortLists(typed: string) {
  const query = { pageSize: MAX_PAGE_SIZE };
  const enabled = typed !== "";
  const networks = useQuery({ ...read(listNetworks, { query }), enabled });
  const members = useQuery({ ...read(listMembers, { query }), enabled });
  const docs = useQuery({ ...docsIndexQuery, enabled: canSearchDocs(typed) });
  return { networks, members, docs };
}

interface SearchOptions {
  /** Only commands that this person can run are offered. */
  person: Person | undefined;
  canListCAs: boolean;
}

export interface PaletteResults {
  /** Shown before pages and actions. */
  objects: CommandGroup[];
  /** Further actions, on objects. */
  actions: Command[];
  /** Shown last. */
  documents: Command[];
  isSearching: boolean;
  /** Why results may be missing. */
  error: Error | undefined;
}

export function usePaletteSearch(input: string, { person, canListCAs }: SearchOptions): PaletteResults {
  const text = input.slice(0, SEARCH_LENGTH_MAX);
  const typed = text.trim();
  const canBlock = canCall(person, blockHostV2);
  const toBlock = canBlock ? nameToBlock(text) : undefined;
  const { hosts, roles, tags, routes, isOutdated } = useSearches(text, canBlock);
  const { networks, members, docs } = useShortLists(typed);
  const allNetworks = networks.data?.data ?? [];
  const networkOf = ({ networkID }: HostV2) => allNetworks.find(({ id }) => id === networkID)?.name;

  function hostGroup(): CommandGroup {
    if (toBlock === undefined) {
      const commands = toCommands(hosts, typed, (host) => hostCommand(host, networkOf(host)), isOutdated);
      return { label: "Hosts", commands: rankByName(commands, typed) };
    }
    const toCommand = (host: HostV2) => (host.isBlocked ? [] : blockCommand(host, networkOf(host)));
    const commands = toCommands(hosts, toBlock, toCommand, isOutdated);
    return { label: "Block a host", commands: rankByName(commands, typed) };
  }
  const objectGroups = (): CommandGroup[] => [
    hostGroup(),
    { label: "Roles", commands: toCommands(roles, typed, roleCommand, isOutdated) },
    { label: "Tags", commands: toCommands(tags, typed, tagCommand, isOutdated) },
    { label: "Routes", commands: toCommands(routes, typed, routeCommand, isOutdated) },
    { label: "Networks", commands: firstMatching(allNetworks.map(networkCommand), typed) },
    { label: "Members", commands: firstMatching(members.data?.data.map(memberCommand) ?? [], typed) },
  ];
  const canRotate = typed !== "" && canListCAs && canCall(person, rotateCa);
  const searches = [hosts, roles, tags, routes, networks, members];
  return {
    objects: typed === "" ? [] : objectGroups(),
    actions: canRotate ? firstMatching(allNetworks.map(rotateCommand), typed) : [],
    documents: docsCommands(docs.data, typed).slice(0, OTHERS_SHOWN),
    isSearching: isOutdated || [...searches, docs].some(({ isFetching }) => isFetching),
    error: searches.find(({ error }) => error)?.error ?? undefined,
  };
}
