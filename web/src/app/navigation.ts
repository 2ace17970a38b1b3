/** The entries of the sidebar, in the order of the specification. */
import type { ComponentType } from "react";
import { config } from "../lib/config.ts";
import {
  CertificateIcon,
  HostsIcon,
  LighthouseIcon,
  LogIcon,
  RelayIcon,
  RoleIcon,
  RouteIcon,
  SettingsIcon,
  SupportIcon,
  TagIcon,
} from "../ui/base/icons.tsx";

export interface PageEntry {
  kind: "page";
  label: string;
  path: string;
  icon?: ComponentType;
  /** Shown only while this feature flag is on. */
  flag?: string;
  /** The link contains the network that the person last filtered by. */
  filtersByNetwork?: boolean;
}
export interface ExternalEntry {
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

const page = (label: string, path: string, more: Partial<PageEntry> = {}): PageEntry => ({
  kind: "page",
  label,
  path,
  ...more,
});

export function group(label: string, icon: ComponentType, children: GroupEntry["children"]): GroupEntry {
  if (children.length < 1 || children.length > GROUP_CHILDREN_MAX) {
    throw new Error(`The group ${label} needs 1 to ${GROUP_CHILDREN_MAX} children, not ${children.length}`);
  }
  return { kind: "group", label, icon, children };
}

export const entries: readonly Entry[] = [
  page("Hosts", "/hosts", { icon: HostsIcon, filtersByNetwork: true }),
  page("Lighthouses", "/lighthouses", { icon: LighthouseIcon, filtersByNetwork: true }),
  page("Relays", "/relays", { icon: RelayIcon, filtersByNetwork: true }),
  page("Routes", "/routes", { icon: RouteIcon }),
  page("Roles", "/roles", { icon: RoleIcon }),
  page("Certificate Authorities", "/certificate-authorities", {
    icon: CertificateIcon,
    flag: "LIST_CERT_AUTHORITIES",
  }),
  page("Tags", "/tags", { icon: TagIcon }),
  page("Logs", "/logs/audit", { icon: LogIcon }),
  group("Settings", SettingsIcon, [
    page("Billing", "/settings/billing"),
    page("Networks", "/settings/networks"),
    page("API keys", "/settings/api-keys"),
    page("Single sign-on", "/settings/sso"),
    page("Members", "/settings/members"),
    page("Organization", "/settings/organization"),
  ]),
  group("Support", SupportIcon, [
    { kind: "external", label: "Documentation", url: config.docsURL },
    page("Contact us", "/support/contact"),
    page("Downloads", "/downloads"),
  ]),
];

/** The existing pages. A new page needs a line here and a route in the router. */
export const registeredPaths: ReadonlySet<string> = new Set([
  "/hosts",
  "/lighthouses",
  "/relays",
  "/routes",
  "/roles",
  "/tags",
  "/logs/audit",
  "/settings/billing",
  "/settings/networks",
  "/settings/api-keys",
  "/settings/sso",
  "/settings/members",
  "/settings/organization",
  "/certificate-authorities",
  "/support/contact",
  USER_SETTINGS_PATH,
  "/downloads",
]);

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

export const isUnder = (pathname: string, path: string): boolean =>
  pathname === path || pathname.startsWith(`${path}/`);

/** The group that contains the page at this path. */
export function groupAt(all: readonly Entry[], pathname: string): string | undefined {
  return all.find(
    (entry) =>
      entry.kind === "group" &&
      entry.children.some((child) => child.kind === "page" && isUnder(pathname, child.path)),
  )?.label;
}
