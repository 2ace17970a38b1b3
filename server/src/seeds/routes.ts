import type { RouteFirewallRule } from "@lightkeeper/contract";
import type { Writer } from "../infrastructure/db/client.ts";
import { minutesAfterStart, type Plan } from "./plan.ts";
import { type RoleIDs, type Rule, tcp, toFirewallRule } from "./roles.ts";
import { insertRows } from "./rows.ts";

type RouteRule = Rule & { localCIDR?: string };

export interface RouteSeed {
  name: string;
  description: string;
  /** Network and name of the router; undefined if there is none yet. */
  router?: string;
  cidrs: Record<string, { install: boolean }>;
  rules: RouteRule[];
  subscribers: string[];
}

const office = (city: string, site: string, cidr: string, printer: string): RouteSeed => ({
  name: `${city} office`,
  description: `Printers and file shares in ${city}`,
  router: `corporate/gateway-${site}-001`,
  cidrs: { [cidr]: { install: true } },
  rules: [
    { ...tcp(631, "Printing", "employee"), localCIDR: printer },
    { ...tcp(445, "File shares", "employee"), localCIDR: cidr },
  ],
  subscribers: ["access:offices"],
});

export const ROUTES: RouteSeed[] = [
  office("Frankfurt", "fra", "192.168.10.0/24", "192.168.10.20/32"),
  office("New York", "nyc", "192.168.20.0/24", "192.168.20.20/32"),
  office("London", "lon", "192.168.30.0/24", "192.168.30.20/32"),
  {
    name: "Storage",
    description: "Primary and secondary storage in Frankfurt",
    router: "production/gateway-fra-001",
    cidrs: { "172.20.0.0/17": { install: true }, "172.20.128.0/17": { install: false } },
    rules: [
      tcp(2049, "NFS", "database"),
      { protocol: "TCP", ports: [9000, 9001], tags: ["access:storage"], description: "Object storage" },
    ],
    subscribers: ["access:storage", "team:data"],
  },
  {
    name: "Singapore office",
    description: "Opens next quarter",
    cidrs: { "192.168.40.0/24": { install: true } },
    rules: [],
    subscribers: [],
  },
];

interface RouteReferences {
  roleIDs: RoleIDs;
  /** Keyed by network and name. */
  routerIDs: ReadonlyMap<string, string>;
}

export async function insertRoutes(
  tx: Writer,
  plan: Plan,
  { roleIDs, routerIDs }: RouteReferences,
): Promise<void> {
  const { organizationID: organization_id, ids } = plan;
  const routes = ROUTES.map((route, order) => ({
    subscribers: route.subscribers,
    row: {
      id: ids.id("route"),
      organization_id,
      name: route.name,
      description: route.description,
      router_host_id: (route.router && routerIDs.get(route.router)) ?? null,
      routable_cidrs: route.cidrs,
      firewall_rules: route.rules.map((rule) => toRouteRule(rule, roleIDs)),
      created_at: minutesAfterStart(plan, 50 + order),
      modified_at: minutesAfterStart(plan, 50 + order),
    },
  }));
  await insertRows(
    tx,
    "routes",
    routes.map(({ row }) => row),
  );
  const subscriptions = routes.flatMap(({ subscribers, row }) =>
    subscribers.map((tag) => ({ organization_id, tag, route_id: row.id })),
  );
  await insertRows(tx, "route_subscriptions", subscriptions);
  for (const { row } of routes)
    plan.history.add(row.created_at, {
      target: { type: "route", id: row.id },
      event: "CREATED",
      before: null,
      after: {
        name: row.name,
        description: row.description,
        routerHostID: row.router_host_id,
        routableCIDRs: row.routable_cidrs,
        firewallRules: row.firewall_rules,
      },
    });
}

export function toRouteRule(
  { localCIDR = "0.0.0.0/0", ...rule }: RouteRule,
  roleIDs: RoleIDs,
): RouteFirewallRule {
  return { ...toFirewallRule(rule, roleIDs), localCIDR };
}
