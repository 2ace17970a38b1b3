import type { ConfigOverrides, FirewallRule } from "@lightkeeper/contract";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";

/** The audited state of a tag, without its name. */
export interface TagState {
  description: string;
  priority: number;
  config_overrides: ConfigOverrides;
  route_subscriptions: string[];
  firewall_rules: FirewallRule[];
}

const snapshot = (tag: TagState | null) =>
  tag && {
    description: tag.description,
    priority: tag.priority,
    configOverrides: tag.config_overrides,
    routeSubscriptions: tag.route_subscriptions,
    firewallRules: tag.firewall_rules,
  };

export interface TagChange {
  event: "CREATED" | "UPDATED" | "DELETED";
  before: TagState | null;
  after: TagState | null;
}

export const tagEntry = (author: Author, name: string, { event, before, after }: TagChange): AuditEntry => ({
  ...author,
  target: { type: "tag", id: name },
  event,
  before: snapshot(before),
  after: snapshot(after),
});
