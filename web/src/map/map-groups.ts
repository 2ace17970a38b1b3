/** Which hosts are drawn together: those with the same role, or with the same value of a tag key. */
import type { MapHostCounts } from "@lightkeeper/contract";
import { formatCount, formatNumber } from "../lib/format.ts";
import type { MapHost, MapModel } from "./map-model.ts";

/** "role", or the key of a tag, such as "site". */
export type GroupBy = string;
export const BY_ROLE = "role";
const DEFAULT_TAG_KEY = "site";

export interface MapGroup {
  /** A tag, the ID of a role, or "" for the hosts with neither. */
  readonly key: string;
  readonly label: string;
  /** By role and name; empty in an overview, which has only counts. */
  readonly hosts: readonly MapHost[];
  readonly counts: MapHostCounts;
}

/** The part of a tag before the first colon. */
const keyOfTag = (tag: string) => tag.slice(0, Math.max(0, tag.indexOf(":")));

/** The tag keys of the network's hosts, in alphabetical order. */
export function listTagKeys({ map }: MapModel): string[] {
  const tags = map.overview ? map.overview.tags.map(({ tag }) => tag) : map.tags;
  const keys = new Set(tags.map(keyOfTag));
  keys.delete("");
  keys.delete(BY_ROLE);
  return [...keys].toSorted();
}

export const defaultGroupBy = (tagKeys: readonly string[]): GroupBy =>
  tagKeys.includes(DEFAULT_TAG_KEY) ? DEFAULT_TAG_KEY : BY_ROLE;

/** A text whose order is that of people: "web-2" is before "web-10". Comparing it takes a fraction of a collator's time. */
const sortKeyOf = (text: string): string =>
  text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"));

const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

interface GroupOptions {
  groupBy: GroupBy;
  roleName: (roleID: string) => string | undefined;
}

/** The largest group first, and hosts without a group last. */
export function groupHosts(model: MapModel, options: GroupOptions): MapGroup[] {
  const groups = model.map.overview ? overviewGroups(model, options) : groupsOfHosts(model, options);
  return groups.toSorted(
    (a, b) =>
      Number(a.key === "") - Number(b.key === "") ||
      b.counts.hosts - a.counts.hosts ||
      compareTexts(sortKeyOf(a.label), sortKeyOf(b.label)),
  );
}

const labelOf = (key: string, { groupBy, roleName }: GroupOptions): string => {
  if (key === "") return `No ${groupBy}`;
  return groupBy === BY_ROLE ? (roleName(key) ?? key) : key;
};

function keyOfHost({ roleID, tags }: MapHost, groupBy: GroupBy): string {
  if (groupBy === BY_ROLE) return roleID ?? "";
  // A host with several values is in the group of the first one.
  return tags.filter((tag) => keyOfTag(tag) === groupBy).toSorted()[0] ?? "";
}

function groupsOfHosts(model: MapModel, options: GroupOptions): MapGroup[] {
  const members = new Map<string, MapHost[]>();
  for (const host of model.hosts) {
    const key = keyOfHost(host, options.groupBy);
    const hosts = members.get(key);
    if (hosts) hosts.push(host);
    else members.set(key, [host]);
  }
  return [...members].map(([key, hosts]) => ({
    key,
    label: labelOf(key, options),
    hosts: sortHosts(hosts, options),
    counts: countHosts(hosts),
  }));
}

/** By role, then by name; hosts without a role are first. */
function sortHosts(hosts: readonly MapHost[], { roleName }: GroupOptions): MapHost[] {
  const roleKeys = new Map<string | null, string>([[null, ""]]);
  const roleKeyOf = (roleID: string | null): string => {
    const key = roleKeys.get(roleID) ?? sortKeyOf(roleName(roleID ?? "") ?? roleID ?? "");
    roleKeys.set(roleID, key);
    return key;
  };
  return hosts
    .map((host) => ({ host, key: [roleKeyOf(host.roleID), sortKeyOf(host.name), host.id].join("\n") }))
    .toSorted((a, b) => compareTexts(a.key, b.key))
    .map(({ host }) => host);
}

const emptyCounts = (): MapHostCounts => ({
  hosts: 0,
  lighthouses: 0,
  relays: 0,
  online: 0,
  offline: 0,
  neverEnrolled: 0,
  blocked: 0,
  drifted: 0,
});

function countHosts(hosts: readonly MapHost[]): MapHostCounts {
  const counts = emptyCounts();
  for (const { isLighthouse, isRelay, statuses } of hosts) {
    counts.hosts += 1;
    counts.lighthouses += Number(isLighthouse);
    counts.relays += Number(isRelay);
    for (const status of statuses) if (status !== "expiring") counts[status] += 1;
  }
  return counts;
}

/** The counts of all groups, subtracted from those of the network, are of the hosts without a group. */
function subtract(total: MapHostCounts, parts: readonly MapHostCounts[]): MapHostCounts {
  const rest = { ...total };
  const names = Object.keys(rest) as (keyof MapHostCounts)[];
  for (const part of parts) for (const name of names) rest[name] = Math.max(0, rest[name] - part[name]);
  return rest;
}

function overviewGroups({ map }: MapModel, options: GroupOptions): MapGroup[] {
  const { roles = [], tags = [] } = map.overview ?? {};
  const groupOf = (key: string, counts: MapHostCounts): MapGroup => ({
    key,
    label: labelOf(key, options),
    hosts: [],
    counts,
  });
  if (options.groupBy === BY_ROLE) return roles.map(({ roleID, counts }) => groupOf(roleID ?? "", counts));
  const tagged = tags.filter(({ tag }) => keyOfTag(tag) === options.groupBy);
  const total = emptyCounts();
  for (const { counts } of roles)
    for (const name of Object.keys(total) as (keyof MapHostCounts)[]) total[name] += counts[name];
  const rest = subtract(
    total,
    tagged.map(({ counts }) => counts),
  );
  return [
    ...tagged.map(({ tag, counts }) => groupOf(tag, counts)),
    ...(rest.hosts > 0 ? [groupOf("", rest)] : []),
  ];
}

/** "1 lighthouse, all online" */
export function summarize({ counts }: MapGroup): string {
  const { lighthouses, relays, hosts, online } = counts;
  const problems = [
    counts.offline > 0 && `${formatNumber(counts.offline)} offline`,
    counts.neverEnrolled > 0 && `${formatNumber(counts.neverEnrolled)} not enrolled`,
    counts.blocked > 0 && `${formatNumber(counts.blocked)} blocked`,
    counts.drifted > 0 && `${formatNumber(counts.drifted)} out of sync`,
  ];
  return [
    lighthouses > 0 && formatCount(lighthouses, "lighthouse"),
    relays > 0 && formatCount(relays, "relay"),
    hosts > 0 && online === hosts && counts.drifted === 0 && "all online",
    ...problems,
  ]
    .filter(Boolean)
    .join(", ");
}
