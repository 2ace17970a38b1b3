/** The inbound rules and the routes of a host, with where they come from. */
import type { AccessRule, HostState } from "@lightkeeper/contract";
import type { ConfigInput } from "@lightkeeper/nebula";
import type { CompiledHost } from "../agents/compiled-host.ts";
import type { Names } from "./host-state.queries.ts";
import type { Snapshot } from "./snapshot.ts";

type Router = HostState["routesUsed"][number]["router"];
export type HostAt = (vpnIp: string) => Router;

const list = (source: AccessRule["source"], rules: readonly AccessRule["rule"][]): AccessRule[] =>
  rules.map((rule, index) => ({ source, index, rule }));

export function describeRules(
  snapshot: Snapshot,
  { roleID, tags }: Pick<CompiledHost, "roleID" | "tags">,
  { routesServed }: ConfigInput,
  names: Names,
): AccessRule[] {
  const roleRules = (roleID !== null && snapshot.roles.get(roleID)) || [];
  const servedIDs = new Set(routesServed.map(({ id }) => id));
  return [
    ...list({ type: "role", id: roleID ?? "", name: names.get(roleID ?? "") ?? "" }, roleRules),
    ...tags.flatMap((name) =>
      list({ type: "tag", id: name, name }, snapshot.tags.get(name)?.firewallRules ?? []),
    ),
    ...snapshot.routes
      .filter(({ id }) => servedIDs.has(id))
      .flatMap(({ id, firewallRules }) =>
        list({ type: "route", id, name: names.get(id) ?? id }, firewallRules),
      ),
  ];
}

export function describeRoutes(
  snapshot: Snapshot,
  { tags, routesServed, routesSubscribed }: ConfigInput,
  { names, hostAt }: { names: Names; hostAt: HostAt },
): Pick<HostState, "routesServed" | "routesUsed"> {
  const nameOf = (id: string) => names.get(id) ?? id;
  const tagsOf = (id: string) =>
    [...snapshot.tags].flatMap(([name, { routeIDs }]) => (routeIDs.includes(id) ? [name] : []));
  const ownTags = new Set(tags.map(({ name }) => name));
  return {
    routesServed: routesServed.map(({ id, routableCIDRs }) => ({
      id,
      name: nameOf(id),
      cidrs: Object.keys(routableCIDRs),
      tags: tagsOf(id).toSorted(),
    })),
    routesUsed: routesSubscribed.map(({ id, routerAddresses, routableCIDRs }) => ({
      id,
      name: nameOf(id),
      cidrs: Object.keys(routableCIDRs),
      router: hostAt(routerAddresses[0] ?? ""),
      tags: tagsOf(id)
        .filter((name) => ownTags.has(name))
        .toSorted(),
    })),
  };
}
