import { hostSorts, hostStatuses, type HostFilter, type HostStatus } from "@lightkeeper/contract";
import type { ListSpec, ListState } from "../lib/list-state.ts";
import { kindDetails } from "./host-kind.ts";
import type { HostKind } from "./host-link.tsx";
import type { HostSort } from "./hosts.queries.ts";

const flags = ["true", "false"];

/** Named as in the API. */
const filters = {
  networkID: "any",
  status: hostStatuses,
  roleID: "any",
  tag: "any",
  isBlocked: flags,
  "metadata.platform": ["dnclient", "mobile", "null"],
  "metadata.updateAvailable": flags,
  endpointOIDCUserID: ["any", "null"],
  // Not an API filter: "any" removes the filter by kind, which this list sets by default.
  kind: ["any"],
} as const satisfies ListSpec<never, string>["filters"];

export type HostFilterName = keyof typeof filters;
export type HostListState = ListState<HostSort, HostFilterName>;

export const hostListSpec: ListSpec<HostSort, HostFilterName> = { sorts: hostSorts, filters };

type ChosenFilters = HostListState["filters"];

const flag = ([value]: readonly string[]) => (value === undefined ? undefined : value === "true");
const one = <Value extends string>(values: readonly string[]) => values[0] as Value | undefined;

/** Links from a role or tag show its lighthouses and relays in the host list, too. */
export const includesAllKinds = (chosen: ChosenFilters, kind: HostKind): boolean =>
  kind === "host" && chosen.kind.length > 0;

/** The filters of the URL as an API filter, limited to the kind of this list unless it includes all kinds. */
export function toHostFilter(chosen: ChosenFilters, kind: HostKind): HostFilter {
  const filter: HostFilter = {
    ...(!includesAllKinds(chosen, kind) && kindDetails[kind].flags),
    networkID: one(chosen.networkID),
    roleID: one(chosen.roleID),
    isBlocked: flag(chosen.isBlocked),
    tag: chosen.tag.length > 0 ? [...chosen.tag] : undefined,
    status: one<HostStatus>(chosen.status),
    "metadata.platform": one<"dnclient" | "mobile" | "null">(chosen["metadata.platform"]),
    "metadata.updateAvailable": flag(chosen["metadata.updateAvailable"]),
    endpointOIDCUserID: one(chosen.endpointOIDCUserID),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

export const statusLabels: Readonly<Record<HostStatus, string>> = {
  online: "Online",
  offline: "Offline",
  neverEnrolled: "Not enrolled",
  blocked: "Blocked",
  expiring: "Certificate expiring",
  drifted: "Out of sync",
};

/** Less common filters, offered in a menu. */
export const secondaryFilters = {
  "metadata.updateAvailable": {
    label: "Agent",
    names: { true: "Update available", false: "Up to date" },
  },
  "metadata.platform": {
    label: "Platform",
    names: { dnclient: "Server or desktop", mobile: "Phone", null: "Unknown" },
  },
  isBlocked: { label: "Access", names: { true: "Blocked", false: "Not blocked" } },
  endpointOIDCUserID: {
    label: "Enrollment",
    names: { any: "By signing in", null: "With a code" },
  },
  kind: { label: "Type", names: { any: "Including lighthouses and relays" } },
} as const satisfies Partial<Record<HostFilterName, { label: string; names: Record<string, string> }>>;
