import { hostSorts, hostStatuses, type HostFilter, type HostStatus } from "@lightkeeper/contract";
import type { ListSpec, ListState } from "../lib/list-state.ts";
import { kindWords } from "./host-kind.ts";
import type { HostKind } from "../references/host-link.tsx";
import type { HostSort } from "../references/hosts.queries.ts";

const flags = ["true", "false"];

/** By the names of the API. */
const filters = {
  networkID: "any",
  status: hostStatuses,
  roleID: "any",
  tag: "any",
  isBlocked: flags,
  "metadata.platform": ["dnclient", "mobile", "null"],
  "metadata.updateAvailable": flags,
  // The one word that is not the API's, which leaves out the kinds nobody asked for only when told to.
  kind: ["any"],
} as const satisfies ListSpec<never, string>["filters"];

export type HostFilterName = keyof typeof filters;
export type HostListState = ListState<HostSort, HostFilterName>;

export const hostListSpec: ListSpec<HostSort, HostFilterName> = { sorts: hostSorts, filters };

type Chosen = HostListState["filters"];

const flag = ([value]: readonly string[]) => (value === undefined ? undefined : value === "true");
const one = <Value extends string>(values: readonly string[]) => values[0] as Value | undefined;

/** Hosts may be listed together with those that have a list of their own: a role counts them all. */
export const listsEveryKind = (chosen: Chosen, kind: HostKind): boolean =>
  kind === "host" && chosen.kind.length > 0;

/** What the address says, as the API takes it; of a kind's hosts only, unless it says otherwise. */
export function toHostFilter(chosen: Chosen, kind: HostKind): HostFilter {
  const given: HostFilter = {
    ...(!listsEveryKind(chosen, kind) && kindWords[kind].flags),
    networkID: one(chosen.networkID),
    roleID: one(chosen.roleID),
    isBlocked: flag(chosen.isBlocked),
    tag: chosen.tag.length > 0 ? [...chosen.tag] : undefined,
    status: one<HostStatus>(chosen.status),
    "metadata.platform": one<"dnclient" | "mobile" | "null">(chosen["metadata.platform"]),
    "metadata.updateAvailable": flag(chosen["metadata.updateAvailable"]),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

export const statusNames: Readonly<Record<HostStatus, string>> = {
  online: "Online",
  offline: "Offline",
  neverEnrolled: "Not enrolled",
  blocked: "Blocked",
  expiring: "Certificate expiring",
  drifted: "Drifted",
};

/** Those that few ask for: each value is called by a word of its own. */
export const rareFilters = {
  "metadata.updateAvailable": {
    label: "Agent",
    names: { true: "Update available", false: "Up to date" },
  },
  "metadata.platform": {
    label: "Platform",
    names: { dnclient: "Server or desktop", mobile: "Phone", null: "Not known yet" },
  },
  isBlocked: { label: "Access", names: { true: "Blocked", false: "Not blocked" } },
  kind: { label: "Kind", names: { any: "Lighthouses and relays too" } },
} as const satisfies Partial<Record<HostFilterName, { label: string; names: Record<string, string> }>>;
