import type { FirewallRule } from "@lightkeeper/contract";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";

/** The audited state of a role. */
interface RoleState {
  name: string;
  description: string;
  firewall_rules: FirewallRule[];
}

const snapshot = (role: RoleState | null) =>
  role && { name: role.name, description: role.description, firewallRules: role.firewall_rules };

interface RoleChange {
  event: "CREATED" | "UPDATED" | "DELETED";
  before: RoleState | null;
  after: RoleState | null;
}

export const roleEntry = (author: Author, id: string, { event, before, after }: RoleChange): AuditEntry => ({
  ...author,
  target: { type: "role", id },
  event,
  before: snapshot(before),
  after: snapshot(after),
});
