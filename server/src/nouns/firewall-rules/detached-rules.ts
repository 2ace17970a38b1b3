/** What rules become when a role or tag that they name is deleted. */
import type { FirewallRule } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";

/** The role or tag that is deleted. */
export type Reference = { roleID: string } | { tag: string };

export interface Detachment {
  author: Author;
  reference: Reference;
  now: Date;
}

/** Removes a role or tag from everything that uses it; returns the audit entries. */
export type Detach = (tx: Writer, detachment: Detachment) => Promise<AuditEntry[]>;

/** A condition on the `firewall_rules` of roles, tags and routes, for which there is an index. */
export const areNamingRules = (reference: Reference) => {
  const pattern =
    "roleID" in reference ? { allowedRoleID: reference.roleID } : { allowedTags: [reference.tag] };
  return sql<boolean>`firewall_rules @> ${JSON.stringify([pattern])}::jsonb`;
};

export interface ChangedRule<Rule> {
  before: Rule;
  /** Null: the rule is removed. */
  after: Rule | null;
}

const isNaming = ({ allowedRoleID, allowedTags = [] }: FirewallRule, reference: Reference) =>
  "roleID" in reference ? allowedRoleID === reference.roleID : allowedTags.includes(reference.tag);

/** A rule without a role and tags allows any host: what loses its last restriction is removed instead. */
function withoutReference<Rule extends FirewallRule>(rule: Rule, reference: Reference): Rule | null {
  const after =
    "roleID" in reference
      ? { ...rule, allowedRoleID: null }
      : { ...rule, allowedTags: rule.allowedTags?.filter((tag) => tag !== reference.tag) };
  const isRestricted = typeof after.allowedRoleID === "string" || (after.allowedTags ?? []).length > 0;
  return isRestricted ? after : null;
}

/** Those of the rules that name the role or tag. */
export const changedRules = <Rule extends FirewallRule>(
  rules: readonly Rule[],
  reference: Reference,
): ChangedRule<Rule>[] =>
  rules
    .filter((rule) => isNaming(rule, reference))
    .map((before) => ({ before, after: withoutReference(before, reference) }));

const detachedRules = <Rule extends FirewallRule>(rules: readonly Rule[], reference: Reference): Rule[] =>
  rules.flatMap((rule) => (isNaming(rule, reference) ? (withoutReference(rule, reference) ?? []) : rule));

/** A role, tag or route without the role or tag in its rules. */
export const withDetachedRules = <Row extends { firewall_rules: FirewallRule[] }>(
  row: Row,
  reference: Reference,
): Row => ({ ...row, firewall_rules: detachedRules(row.firewall_rules, reference) });

export interface StoredRules {
  /** The id, or the name of a tag. */
  key: string;
  firewall_rules: FirewallRule[];
}

/** The rules as a relation `after`, for the update of the table that stores them. */
export const rulesRelation = (rows: readonly StoredRules[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) after (key text, firewall_rules jsonb)`;
