import type { ConfigOverrides } from "@lightkeeper/contract";
import type { Writer } from "../infrastructure/db/client.ts";
import { tagEntry } from "../nouns/tags/tag-entry.ts";
import { minutesAfterStart, type Plan } from "./plan.ts";
import { type RoleIDs, type Rule, tcp, toFirewallRule } from "./roles.ts";
import { insertRows } from "./rows.ts";

export const SITES = ["fra", "nyc", "lon", "sin", "sfo", "syd"] as const;
export type Site = (typeof SITES)[number];

/** Assigned to about a dozen hosts, however many there are. */
export const RARE_TAG = "debug:verbose";

export interface TagSeed {
  name: string;
  description: string;
  overrides?: ConfigOverrides;
  rules?: Rule[];
}

const siteTag = (site: Site, place: string, range: string): TagSeed => ({
  name: `site:${site}`,
  description: `Located in ${place}`,
  overrides: [{ key: "preferred_ranges", value: [range] }],
});

/** Lowest priority first. */
export const TAGS: TagSeed[] = [
  {
    name: "env:production",
    description: "Production environment",
    overrides: [
      { key: "logging.level", value: "warning" },
      { key: "stats.type", value: "prometheus" },
      { key: "stats.listen", value: "127.0.0.1:9090" },
      { key: "stats.path", value: "/metrics" },
      { key: "stats.interval", value: "30s" },
    ],
  },
  {
    name: "env:staging",
    description: "Staging environment",
    overrides: [{ key: "logging.level", value: "info" }],
  },
  { name: "env:development", description: "Development environment" },
  siteTag("fra", "Frankfurt", "172.21.0.0/16"),
  siteTag("nyc", "New York", "172.22.0.0/16"),
  siteTag("lon", "London", "172.23.0.0/16"),
  siteTag("sin", "Singapore", "172.24.0.0/16"),
  siteTag("sfo", "San Francisco", "172.25.0.0/16"),
  siteTag("syd", "Sydney", "172.26.0.0/16"),
  { name: "team:web", description: "Owned by the web team" },
  {
    name: "team:platform",
    description: "Owned by the platform team",
    rules: [tcp(10_250, "Deployments", "runner")],
  },
  {
    name: "team:data",
    description: "Owned by the data team",
    rules: [tcp(8080, "Notebooks of the data team", "employee", ["team:data"])],
  },
  { name: "team:security", description: "Owned by the security team" },
  { name: "team:support", description: "Owned by the support team" },
  {
    name: "tier:critical",
    description: "Pages the on-call engineer when offline",
    overrides: [
      { key: "listen.read_buffer", value: 10_485_760 },
      { key: "listen.write_buffer", value: 10_485_760 },
    ],
    rules: [tcp(9115, "Health checks", "monitoring")],
  },
  { name: "compliance:pci", description: "Handles card data; changes are reviewed" },
  { name: "access:offices", description: "Access to printers and file shares in the offices" },
  { name: "access:storage", description: "Access to the storage network" },
  {
    name: "device:mobile",
    description: "Mobile devices on public networks",
    overrides: [{ key: "tun.mtu", value: 1280 }],
  },
  {
    name: RARE_TAG,
    description: "Being debugged",
    overrides: [{ key: "logging.level", value: "debug" }],
  },
];

export async function insertTags(tx: Writer, plan: Plan, roleIDs: RoleIDs): Promise<void> {
  const rows = TAGS.map(({ name, description, overrides = [], rules = [] }, order) => ({
    organization_id: plan.organizationID,
    name,
    description,
    priority: order + 1,
    config_overrides: overrides,
    firewall_rules: rules.map((rule) => toFirewallRule(rule, roleIDs)),
    created_at: minutesAfterStart(plan, 20 + order),
    modified_at: minutesAfterStart(plan, 20 + order),
  }));
  await insertRows(tx, "tags", rows);
  const author = { organizationID: plan.organizationID, actor: plan.history.owner };
  for (const row of rows) {
    const after = { ...row, route_subscriptions: [] };
    plan.history.add(row.created_at, tagEntry(author, row.name, { event: "CREATED", before: null, after }));
  }
}
