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

interface RoleSeed {
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

const ROLES: Record<RoleKey, RoleSeed> = {
  web: {
    name: "Web server",
    description: "Serves the public sites",
    rules: [...servers, tcp(443, "HTTPS from any host"), tcp(80, "Redirects to HTTPS")],
  },
  api: {
    name: "API server",
    description: "Answers the sites and the apps",
    rules: [...servers, tcp(8443, "Calls of the sites", "web"), tcp(8443, "Calls of workers", "worker")],
  },
  worker: { name: "Worker", description: "Runs jobs from the queue", rules: servers },
  database: {
    name: "Database",
    description: "PostgreSQL, primary and replicas",
    rules: [
      ...servers,
      tcp(5432, "Queries of the API", "api"),
      tcp(5432, "Queries of workers", "worker"),
      tcp(5432, "Replication", "database"),
      tcp(5432, "The data team, from their own machines", "employee", ["team:data"]),
    ],
  },
  cache: {
    name: "Cache",
    description: "Redis in front of the databases",
    rules: [...servers, tcp(6379, "Lookups of the API", "api"), tcp(6379, "Lookups of workers", "worker")],
  },
  monitoring: {
    name: "Monitoring",
    description: "Collects metrics and shows them",
    rules: [
      ping,
      tcp(22, "SSH through a bastion", "bastion"),
      tcp(3000, "Dashboards", "employee"),
      { protocol: "UDP", ports: [8125, 8126], description: "Counters from any host" },
    ],
  },
  bastion: {
    name: "Bastion",
    description: "The only way to a shell",
    rules: [
      ping,
      tcp(22, "Engineers of the platform team", "employee", ["team:platform"]),
      tcp(22, "Engineers of the security team", "employee", ["team:security"]),
    ],
  },
  router: {
    name: "Site router",
    description: "Leads to networks that have no Nebula",
    rules: [ping, tcp(22, "SSH through a bastion", "bastion")],
  },
  runner: { name: "CI runner", description: "Builds and tests", rules: servers },
  employee: {
    name: "Employee",
    description: "Laptops, desktops and phones of the staff",
    rules: [
      ping,
      {
        protocol: "TCP",
        ports: [5900, 5901],
        tags: ["team:support"],
        description: "Remote help from support",
      },
    ],
  },
  contractor: { name: "Contractor", description: "Machines we do not manage", rules: [] },
  edge: {
    name: "Edge device",
    description: "Sensors and players in the field",
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

/** Whose last rule came lately, and how many days ago. */
const CHANGED: Partial<Record<RoleKey, number>> = { web: 31, database: 17, monitoring: 9, bastion: 4 };

export async function insertRoles(tx: Writer, plan: Plan): Promise<RoleIDs> {
  const keys = Object.keys(ROLES) as RoleKey[];
  const roleIDs = Object.fromEntries(keys.map((key) => [key, plan.ids.id("role")])) as RoleIDs;
  const rows = keys.map((key, order): RoleRow => {
    const createdAt = minutesAfterStart(plan, order);
    const days = CHANGED[key];
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
  for (const row of rows) tellOfRole(plan, row);
  return roleIDs;
}

function tellOfRole({ history }: Plan, role: RoleRow): void {
  const target = { type: "role", id: role.id } as const;
  const isChanged = role.modified_at > role.created_at;
  const now = { name: role.name, description: role.description, firewallRules: role.firewall_rules };
  const first = isChanged ? { ...now, firewallRules: now.firewallRules.slice(0, -1) } : now;
  history.add(role.created_at, { target, event: "CREATED", before: null, after: first });
  if (isChanged) history.add(role.modified_at, { target, event: "UPDATED", before: first, after: now });
}
