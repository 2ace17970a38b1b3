/** The entries of the sidebar, derived from the pages of the features. */
import type { ComponentType } from "react";
import type { FeaturePage, SidebarEntry, SidebarLink, SidebarSection } from "../lib/feature.ts";
import { SettingsIcon, SupportIcon } from "../ui/base/icons.tsx";
import { features } from "./features.ts";

export interface PageEntry extends SidebarEntry {
  kind: "page";
  path: string;
  /** Shown only while this feature flag is on. */
  flag?: string;
}
export interface ExternalEntry extends Partial<SidebarLink> {
  kind: "external";
  label: string;
  url: string;
}
export interface GroupEntry {
  kind: "group";
  label: string;
  icon: ComponentType;
  children: readonly (PageEntry | ExternalEntry)[];
}
export type Entry = PageEntry | GroupEntry;

const GROUP_CHILDREN_MAX = 6;
export const USER_SETTINGS_PATH = "/settings/user";

export function group(label: string, icon: ComponentType, children: GroupEntry["children"]): GroupEntry {
  if (children.length < 1 || children.length > GROUP_CHILDREN_MAX) {
    throw new Error(`The group ${label} needs 1 to ${GROUP_CHILDREN_MAX} children, not ${children.length}`);
  }
  return { kind: "group", label, icon, children };
}

const sections: Readonly<Record<SidebarSection, { label: string; icon: ComponentType }>> = {
  settings: { label: "Settings", icon: SettingsIcon },
  support: { label: "Support", icon: SupportIcon },
};

function pageEntries(page: FeaturePage): PageEntry[] {
  if (!("load" in page) || page.path === undefined || !page.sidebar) return [];
  const flag = typeof page.access === "object" && "flag" in page.access && page.access;
  return [{ kind: "page", path: page.path, ...page.sidebar, ...flag }];
}

const linkEntry = (link: SidebarLink): ExternalEntry => ({ kind: "external", ...link });

const featureEntries = features.flatMap(({ sidebarLinks = [], pages = [] }) => [
  ...sidebarLinks.map(linkEntry),
  ...pages.flatMap(pageEntries),
]);
const entriesIn = (section: string | undefined) =>
  featureEntries.filter((entry) => entry.section === section);

/** Pages at the top level, followed by the sections. */
export const entries: readonly Entry[] = [
  ...entriesIn(undefined).filter((entry) => entry.kind === "page"),
  ...Object.entries(sections).map(([section, { label, icon }]) => group(label, icon, entriesIn(section))),
];

/** The path of every page without parameters. */
export const registeredPaths: ReadonlySet<string> = new Set(
  features
    .flatMap(({ pages = [] }) => pages)
    .flatMap((page) => ("path" in page && page.path !== undefined ? [page.path] : []))
    .filter((path) => /^\/[^:*]*$/.test(path)),
);

export interface Visibility {
  registered: ReadonlySet<string>;
  flags: Readonly<Record<string, unknown>>;
}

/** The entries that a person can see, without empty groups. */
export function visibleEntries(all: readonly Entry[], { registered, flags }: Visibility): Entry[] {
  const isVisible = (entry: PageEntry | ExternalEntry) =>
    entry.kind === "external" ||
    (registered.has(entry.path) && (entry.flag === undefined || flags[entry.flag] === true));
  return all.flatMap((entry): Entry[] => {
    if (entry.kind === "page") return isVisible(entry) ? [entry] : [];
    const children = entry.children.filter(isVisible);
    return children.length > 0 ? [{ ...entry, children }] : [];
  });
}

export function hrefOf(entry: PageEntry, filterNetworkID: string | null): string {
  if (!entry.filtersByNetwork || !filterNetworkID) return entry.path;
  return `${entry.path}?${new URLSearchParams({ "filter.networkID": filterNetworkID })}`;
}

/** Every page among the entries and in their groups. */
export const pagesIn = (all: readonly Entry[]): PageEntry[] =>
  all
    .flatMap((entry) => (entry.kind === "group" ? entry.children : [entry]))
    .filter((entry) => entry.kind === "page");

/** The shortcut of a page, if it has one. */
export const goKeysOf = ({ goKey }: PageEntry): string | undefined => goKey && `g ${goKey}`;

export const isUnder = (pathname: string, path: string): boolean =>
  pathname === path || pathname.startsWith(`${path}/`);

/** Whether the entry is highlighted at this path. */
export const isCurrent = ({ path, alsoAt = [] }: PageEntry, pathname: string): boolean =>
  [path, ...alsoAt].some((one) => isUnder(pathname, one));

/** The group that contains the page at this path. */
export function groupAt(all: readonly Entry[], pathname: string): string | undefined {
  return all.find(
    (entry) =>
      entry.kind === "group" &&
      entry.children.some((child) => child.kind === "page" && isCurrent(child, pathname)),
  )?.label;
}
