import { checkAccess, listHostsV2, type HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import type { Command, PaletteAction, PaletteMatches, PaletteSearch } from "../lib/palette.ts";
import { read } from "../lib/query.ts";
import { ACCESS_MATRIX_PATH, ACCESS_PATH, accessPath } from "../references/access-paths.ts";
import { RoleIcon } from "../ui/base/icons.tsx";

export const checkAccessAction: PaletteAction = {
  endpoint: checkAccess,
  command: {
    label: "Check access",
    keywords: "can reach connect allowed denied why firewall rules",
    icon: RoleIcon,
    to: ACCESS_PATH,
  },
};

export const openAccessMatrix: PaletteAction = {
  endpoint: checkAccess,
  command: {
    label: "Access matrix",
    keywords: "who can reach whom roles overview firewall rules",
    icon: RoleIcon,
    to: ACCESS_MATRIX_PATH,
  },
};

/** "can web-01 reach db-01?", with or without the question mark; the destination may still be missing. */
const QUESTION = /^\s*can\s+(\S+)(?:\s+reach(?:\s+(\S*?)\??)?)?\s*$/i;

export interface ReachQuestion {
  source: string;
  /** Empty until it is typed. */
  destination: string;
}

/** The two names in a question such as "can web-01 reach db-01". */
export function parseReachQuestion(text: string): ReachQuestion | undefined {
  const [, source, destination = ""] = QUESTION.exec(text) ?? [];
  return source === undefined ? undefined : { source, destination };
}

const CANDIDATES = 5;
const PAIRS_SHOWN = 4;

/** Hosts whose name starts with the text, the exact match first. */
function useHostsNamed(name: string | undefined) {
  const query = { "filter.search": name ?? "", pageSize: CANDIDATES, sort: "name" } as const;
  const found = useQuery({ ...read(listHostsV2, { query }), enabled: Boolean(name) });
  const typed = (name ?? "").toLowerCase();
  const isExact = (host: HostV2) => Number(host.name.toLowerCase() === typed);
  const hosts = (found.data?.data ?? []).filter((host) => host.name.toLowerCase().startsWith(typed));
  return { found, hosts: hosts.toSorted((one, other) => isExact(other) - isExact(one)) };
}

const pairCommand = (source: HostV2, destination: HostV2): Command => ({
  label: `Can ${source.name} reach ${destination.name}?`,
  description: [...source.ipAddresses, "→", ...destination.ipAddresses].join(" "),
  icon: RoleIcon,
  to: accessPath({ source: source.id, destination: destination.id }),
});

const sourceCommand = (source: HostV2): Command => ({
  label: `Check access from ${source.name}`,
  description: source.ipAddresses.join(", "),
  icon: RoleIcon,
  to: accessPath({ source: source.id }),
});

/** Hosts of one network come first: others can't reach each other. */
function pairCommands(sources: readonly HostV2[], destinations: readonly HostV2[]): Command[] {
  const pairs = sources.flatMap((source) =>
    destinations.filter(({ id }) => id !== source.id).map((destination) => ({ source, destination })),
  );
  const isSameNetwork = ({ source, destination }: (typeof pairs)[number]) =>
    Number(source.networkID === destination.networkID);
  return pairs
    .toSorted((one, other) => isSameNetwork(other) - isSameNetwork(one))
    .slice(0, PAIRS_SHOWN)
    .map(({ source, destination }) => pairCommand(source, destination));
}

/** Offers to check access for a question about two hosts. */
export function useReachQuestion({ settledText, isOutdated }: PaletteSearch): PaletteMatches {
  const question = parseReachQuestion(settledText);
  const source = useHostsNamed(question?.source);
  const destination = useHostsNamed(question?.destination);
  if (!question || isOutdated) return { queries: [] };
  const commands =
    question.destination === ""
      ? source.hosts.slice(0, PAIRS_SHOWN).map(sourceCommand)
      : pairCommands(source.hosts, destination.hosts);
  return {
    group: { label: "Access", commands },
    queries: question.destination === "" ? [source.found] : [source.found, destination.found],
  };
}
