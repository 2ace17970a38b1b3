import type { FirewallRule } from "@lightkeeper/contract";
import type { Writer } from "../infrastructure/db/client.ts";
import { minutesAfterStart, type Plan } from "./plan.ts";
import { insertRows } from "./rows.ts";
import { DAY_MS } from "../infrastructure/time/durations.ts";

export type RoleKey =
  | "web"
  | "api"
  | "worker"
  | "database"
  | "cache"
  | "monitoring"
  | "bastion"
  | "router"
  | "runner"
  | "employee"
  | "contractor"
  | "edge";

export interface Rule {
  protocol: FirewallRule["protocol"];
  ports?: [from: number, to: number];
  from?: RoleKey;
  tags?: string[];
  description: string;
}

export interface RoleSeed {
  name: string;
  description: string;
  rules: Rule[];
}

export const tcp = (port: number, description: string, from?: RoleKey, tags: string[] = []): Rule => ({
  protocol: "TCP",
  ports: [port, port],
  description,
  ...(from && { from }),
  tags,
});
const ping: Rule = { protocol: "ICMP", description: "Ping from any host" };
const servers: Rule[] = [
  ping,
  tcp(22, "SSH through a bastion", "bastion"),
  tcp(9100, "Node metrics", "monitoring"),
];

export const ROLES: Record<RoleKey, RoleSeed> = {
  web: {
    name: "Web server",
    description: "Serves the public websites",
    rules: [...servers, tcp(443, "HTTPS from any host"), tcp(80, "Redirects to HTTPS")],
  },
  api: {
    name: "API server",
    description: "Backend of the websites and apps",
    rules: [
      ...servers,
      tcp(8443, "Requests from web servers", "web"),
      tcp(8443, "Requests from workers", "worker"),
    ],
  },
  worker: { name: "Worker", description: "Runs jobs from the queue", rules: servers },
  database: {
    name: "Database",
    description: "PostgreSQL, primary and replicas",
    rules: [
      ...servers,
      tcp(5432, "Queries from the API", "api"),
      tcp(5432, "Queries from workers", "worker"),
      tcp(5432, "Replication", "database"),
      tcp(5432, "Queries from the data team", "employee", ["team:data"]),
    ],
  },
  cache: {
    name: "Cache",
    description: "Redis cache for the databases",
    rules: [
      ...servers,
      tcp(6379, "Lookups from the API", "api"),
      tcp(6379, "Lookups from workers", "worker"),
    ],
  },
  monitoring: {
    name: "Monitoring",
    description: "Metrics and dashboards",
    rules: [
      ping,
      tcp(22, "SSH through a bastion", "bastion"),
      tcp(3000, "Dashboards", "employee"),
      { protocol: "UDP", ports: [8125, 8126], description: "StatsD metrics from any host" },
    ],
  },
  bastion: {
    name: "Bastion",
    description: "SSH access to servers",
    rules: [
      ping,
      tcp(22, "SSH from the platform team", "employee", ["team:platform"]),
      tcp(22, "SSH from the security team", "employee", ["team:security"]),
    ],
  },
  router: {
    name: "Site router",
    description: "Routes to subnets without Nebula",
    rules: [ping, tcp(22, "SSH through a bastion", "bastion")],
  },
  runner: { name: "CI runner", description: "Builds and tests", rules: servers },
  employee: {
    name: "Employee",
    description: "Laptops, desktops and phones of employees",
    rules: [
      ping,
      {
        protocol: "TCP",
        ports: [5900, 5901],
        tags: ["team:support"],
        description: "Remote assistance from support",
      },
    ],
  },
  contractor: { name: "Contractor", description: "Unmanaged devices of contractors", rules: [] },
  edge: {
    name: "Edge device",
    description: "Sensors and media players in the field",
    rules: [{ protocol: "ICMP", from: "monitoring", description: "Ping from monitoring" }],
  },
};

export type RoleIDs = Record<RoleKey, string>;

interface RoleRow {
  id: string;
  organization_id: string;
  name: string;
  description: string;
  firewall_rules: FirewallRule[];
  created_at: Date;
  modified_at: Date;
}

export function toFirewallRule(
  { protocol, ports, from, tags = [], description }: Rule,
  roleIDs: RoleIDs,
): FirewallRule {
  return {
    protocol,
    description,
    allowedRoleID: from ? roleIDs[from] : null,
    allowedTags: tags,
    portRange: ports ? { from: ports[0], to: ports[1] } : null,
  };
}

/** Days since the last rule was added. */
const CHANGED_DAYS_AGO: Partial<Record<RoleKey, number>> = {
  web: 31,
  database: 17,
  monitoring: 9,
  bastion: 4,
};

export async function insertRoles(tx: Writer, plan: Plan): Promise<RoleIDs> {
  const keys = Object.keys(ROLES) as RoleKey[];
  const roleIDs = Object.fromEntries(keys.map((key) => [key, plan.ids.id("role")])) as RoleIDs;
  const rows = keys.map((key, order): RoleRow => {
    const createdAt = minutesAfterStart(plan, order);
    const days = CHANGED_DAYS_AGO[key];
    return {
      id: roleIDs[key],
      organization_id: plan.organizationID,
      name: ROLES[key].name,
      description: ROLES[key].description,
      firewall_rules: ROLES[key].rules.map((rule) => toFirewallRule(rule, roleIDs)),
      created_at: createdAt,
      modified_at: days === undefined ? createdAt : new Date(plan.now.getTime() - days * DAY_MS),
    };
  });
  await insertRows(tx, "roles", rows);
  for (const row of rows) addRoleHistory(plan, row);
  return roleIDs;
}

function addRoleHistory({ history }: Plan, role: RoleRow): void {
  const target = { type: "role", id: role.id } as const;
  const isChanged = role.modified_at > role.created_at;
  const current = { name: role.name, description: role.description, firewallRules: role.firewall_rules };
  const first = isChanged ? { ...current, firewallRules: current.firewallRules.slice(0, -1) } : current;
  history.add(role.created_at, { target, event: "CREATED", before: null, after: first });
  if (isChanged) history.add(role.modified_at, { target, event: "UPDATED", before: first, after: current });
}
