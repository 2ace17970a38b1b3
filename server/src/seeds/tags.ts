import type { ConfigOverrides } from "@lightkeeper/contract";
import type { Writer } from "../infrastructure/db/client.ts";
import { tagEntry } from "../nouns/tags/tag-entry.ts";
import { minutesAfterStart, type Plan } from "./plan.ts";
import { type RoleIDs, type Rule, tcp, toFirewallRule } from "./roles.ts";
import { insertRows } from "./rows.ts";

export const SITES = ["fra", "nyc", "lon", "sin", "sfo", "syd"] as const;
export type Site = (typeof SITES)[number];

/** On a dozen hosts, however many there are. */
export const RARE_TAG = "debug:verbose";

interface TagSeed {
  name: string;
  description: string;
  overrides?: ConfigOverrides;
  rules?: Rule[];
}

const siteTag = (site: Site, place: string, range: string): TagSeed => ({
  name: `site:${site}`,
  description: `Stands in ${place}`,
  overrides: [{ key: "preferred_ranges", value: [range] }],
});

/** Lowest priority first: what comes later wins. */
const TAGS: TagSeed[] = [
  {
    name: "env:production",
    description: "Customers depend on it",
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
    description: "What will be production next",
    overrides: [{ key: "logging.level", value: "info" }],
  },
  { name: "env:development", description: "May break at any time" },
  siteTag("fra", "Frankfurt", "172.21.0.0/16"),
  siteTag("nyc", "New York", "172.22.0.0/16"),
  siteTag("lon", "London", "172.23.0.0/16"),
  siteTag("sin", "Singapore", "172.24.0.0/16"),
  siteTag("sfo", "San Francisco", "172.25.0.0/16"),
  siteTag("syd", "Sydney", "172.26.0.0/16"),
  { name: "team:web", description: "Looked after by the web team" },
  {
    name: "team:platform",
    description: "Looked after by the platform team",
    rules: [tcp(10_250, "Deployments", "runner")],
  },
  {
    name: "team:data",
    description: "Looked after by the data team",
    rules: [tcp(8080, "Notebooks of colleagues", "employee", ["team:data"])],
  },
  { name: "team:security", description: "Looked after by the security team" },
  { name: "team:support", description: "Answers customers" },
  {
    name: "tier:critical",
    description: "Wakes somebody up when it is gone",
    overrides: [
      { key: "listen.read_buffer", value: 10_485_760 },
      { key: "listen.write_buffer", value: 10_485_760 },
    ],
    rules: [tcp(9115, "Probes", "monitoring")],
  },
  { name: "compliance:pci", description: "Handles card data; changes are reviewed" },
  { name: "access:offices", description: "May use printers and files in the offices" },
  { name: "access:storage", description: "May reach the storage network" },
  {
    name: "device:mobile",
    description: "On the road, on networks of others",
    overrides: [{ key: "tun.mtu", value: 1280 }],
  },
  {
    name: RARE_TAG,
    description: "Somebody is looking for a fault here",
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
