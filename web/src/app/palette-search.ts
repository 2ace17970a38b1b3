/** What the palette finds beyond pages and actions. */
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
import { highestFirst } from "../tags/tags.queries.ts";
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
/** Of more than are shown, those with the word in their name come before those that have it in a tag. */
const HOSTS_ASKED = 50;
const OTHERS_SHOWN = 4;
const SEARCH_LENGTH_MAX = 100;
const SEARCH_DELAY_MS = 120;

/** The first letter counts at once, further ones when the person pauses: meanwhile the last answer is filtered. */
function useSettledText(text: string): string {
  const [settled, setSettled] = useState(text);
  const isFirst = settled === "" || text === "";
  if (isFirst && settled !== text) setSettled(text);
  useEffect(() => startTimer(() => setSettled(text), SEARCH_DELAY_MS).clear, [text]);
  return isFirst ? text : settled;
}

/** The host that "block web-1" is about. */
const nameToBlock = (text: string): string | undefined =>
  text.toLowerCase().startsWith(BLOCK_PREFIX.toLowerCase())
    ? text.slice(BLOCK_PREFIX.length).trim()
    : undefined;

/** As the server answered, or, until it has answered to the last letter, what of the earlier answer still fits. */
function found<Item>(
  { data, isPlaceholderData }: UseQueryResult<Page<Item>>,
  text: string,
  toCommand: (item: Item) => Command | Command[],
  isEarlier: boolean,
): Command[] {
  const commands = data?.data.flatMap(toCommand) ?? [];
  return isEarlier || isPlaceholderData ? matching(commands, text) : commands;
}

function byName(commands: Command[], text: string): Command[] {
  const typed = text.toLocaleLowerCase();
  const rank = ({ label }: Command) => {
    const position = label.toLocaleLowerCase().indexOf(typed);
    return position < 0 ? 2 : Math.min(position, 1);
  };
  return commands.toSorted((one, other) => rank(one) - rank(other)).slice(0, HOSTS_SHOWN);
}

const some = (commands: readonly Command[], text: string) => matching(commands, text).slice(0, OTHERS_SHOWN);

/** Lists that the server searches. */
function useSearches(text: string, canBlock: boolean) {
  const settled = useSettledText(text);
  const typed = settled.trim();
  const options = { enabled: typed !== "", placeholderData: keepPreviousData };
  const query = { "filter.search": typed, pageSize: OTHERS_SHOWN };
  const toBlock = canBlock ? nameToBlock(settled) : undefined;
  const hostQuery = {
    pageSize: HOSTS_ASKED,
    sort: "name",
    ...(toBlock !== undefined && { "filter.isBlocked": false }),
    ...(toBlock !== "" && { "filter.search": toBlock ?? typed }),
  } as const;
  const hosts = useQuery({ ...read(listHostsV2, { query: hostQuery }), ...options });
  const roles = useQuery({ ...read(listRoles, { query }), ...options });
  const tags = useQuery({ ...read(listTags, { query: { ...query, ...highestFirst } }), ...options });
  const routes = useQuery({ ...read(listRoutes, { query }), ...options });
  return { hosts, roles, tags, routes, isEarlier: typed !== text.trim() };
}

/** Lists that the server does not search, and that are short: each is loaded once and filtered here. */
function useShortLists(typed: string) {
  const query = { pageSize: MAX_PAGE_SIZE };
  const enabled = typed !== "";
  const networks = useQuery({ ...read(listNetworks, { query }), enabled });
  const members = useQuery({ ...read(listMembers, { query }), enabled });
  const docs = useQuery({ ...docsIndexQuery, enabled: canSearchDocs(typed) });
  return { networks, members, docs };
}

interface SearchOptions {
  /** Nothing is offered that this person may not do. */
  person: Person | undefined;
  hasAuthorities: boolean;
}

export interface PaletteFindings {
  /** Things by their names; they come before pages and actions. */
  things: CommandGroup[];
  /** Further actions, on things by their names. */
  actions: Command[];
  /** They come last. */
  documents: Command[];
  isSearching: boolean;
  /** Why there may be less than there is. */
  error: Error | undefined;
}

export function usePaletteSearch(whole: string, { person, hasAuthorities }: SearchOptions): PaletteFindings {
  const text = whole.slice(0, SEARCH_LENGTH_MAX);
  const typed = text.trim();
  const canBlock = canCall(person, blockHostV2);
  const toBlock = canBlock ? nameToBlock(text) : undefined;
  const { hosts, roles, tags, routes, isEarlier } = useSearches(text, canBlock);
  const { networks, members, docs } = useShortLists(typed);
  const allNetworks = networks.data?.data ?? [];
  const networkOf = ({ networkID }: HostV2) => allNetworks.find(({ id }) => id === networkID)?.name;

  function hostGroup(): CommandGroup {
    if (toBlock === undefined) {
      const commands = found(hosts, typed, (host) => hostCommand(host, networkOf(host)), isEarlier);
      return { label: "Hosts", commands: byName(commands, typed) };
    }
    const toCommand = (host: HostV2) => (host.isBlocked ? [] : blockCommand(host, networkOf(host)));
    const commands = found(hosts, toBlock, toCommand, isEarlier);
    return { label: "Block a host", commands: byName(commands, typed) };
  }
  const thingGroups = (): CommandGroup[] => [
    hostGroup(),
    { label: "Roles", commands: found(roles, typed, roleCommand, isEarlier) },
    { label: "Tags", commands: found(tags, typed, tagCommand, isEarlier) },
    { label: "Routes", commands: found(routes, typed, routeCommand, isEarlier) },
    { label: "Networks", commands: some(allNetworks.map(networkCommand), typed) },
    { label: "Members", commands: some(members.data?.data.map(memberCommand) ?? [], typed) },
  ];
  const canRotate = typed !== "" && hasAuthorities && canCall(person, rotateCa);
  const answers = [hosts, roles, tags, routes, networks, members];
  return {
    things: typed === "" ? [] : thingGroups(),
    actions: canRotate ? some(allNetworks.map(rotateCommand), typed) : [],
    documents: docsCommands(docs.data, typed).slice(0, OTHERS_SHOWN),
    isSearching: isEarlier || [...answers, docs].some(({ isFetching }) => isFetching),
    error: answers.find(({ error }) => error)?.error ?? undefined,
  };
}
