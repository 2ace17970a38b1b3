/** Does what a plan says through the services of each noun. The caller holds all that the plan was made from. */
import type { FirewallRule } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { AuditEntry, Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { changeEntry, lockHostsForChange, writeHosts } from "../../nouns/hosts/host-changes.service.ts";
import { createHosts } from "../../nouns/hosts/hosts.service.ts";
import { type Actor, authorOf } from "../../infrastructure/http/credentials.ts";
import { createRole, updateRole } from "../../nouns/roles/roles.service.ts";
import { ensureTags } from "../../nouns/tags/ensure-tags.service.ts";
import { updateTag } from "../../nouns/tags/tags.service.ts";
import type { PlannedImport } from "./plan.ts";
import type { RoleReference } from "./plan-roles.ts";
import { tagsNamedIn } from "./things.ts";

interface Work {
  actor: Actor;
  now: Date;
  planned: PlannedImport;
}

type ResolveRole = (reference: RoleReference) => string;

const isDone = ({ verdict }: PlannedImport["roles" | "tags" | "hosts"][number]) =>
  verdict.kind === "create" || verdict.kind === "change";

export async function applyPlan(ctx: Context, tx: Writer, work: Work): Promise<AuditEntry[]> {
  const { actor, now, planned } = work;
  const names = tagsNamedIn({
    role: planned.roles.filter(isDone).map(({ thing }) => thing),
    tag: planned.tags.filter(isDone).map(({ thing }) => thing),
    host: planned.hosts.filter(isDone).map(({ thing }) => thing),
  });
  const tagsMade = await ensureTags(tx, { author: authorOf(actor), names, now });
  const roles = await applyRoles(tx, work);
  return onePerThing([
    ...tagsMade,
    ...roles.entries,
    ...(await applyTags(tx, work, roles.resolve)),
    ...(await createPlannedHosts(ctx, tx, work, roles.resolve)),
    ...(await changePlannedHosts(tx, work, roles.resolve)),
  ]);
}

/** Some things are made first and completed later: one entry tells of both. */
function onePerThing(entries: AuditEntry[]): AuditEntry[] {
  const byTarget = new Map<string, AuditEntry>();
  for (const entry of entries) {
    const key = `${entry.target.type} ${entry.target.id}`;
    const earlier = byTarget.get(key);
    byTarget.set(key, earlier ? { ...earlier, after: entry.after } : entry);
  }
  return [...byTarget.values()];
}

function entriesOf<T>(outcome: Outcome<T>): { data: T; entries: AuditEntry[] } {
  if (outcome.kind !== "done") throw new Error("A role or tag was not written");
  return outcome;
}

const resolved = (rules: readonly FirewallRule[], resolve: ResolveRole): FirewallRule[] =>
  rules.map((rule) => ({ ...rule, allowedRoleID: rule.allowedRoleID && resolve(rule.allowedRoleID) }));

/** Roles may name one another, and themselves: all are made before the rules of any. */
async function applyRoles(
  tx: Writer,
  { actor, now, planned }: Work,
): Promise<{ entries: AuditEntry[]; resolve: ResolveRole }> {
  const entries: AuditEntry[] = [];
  const ids = new Map<RoleReference, string>();
  const resolve = (reference: RoleReference) => ids.get(reference) ?? reference;
  for (const { verdict } of planned.roles) {
    if (verdict.kind !== "create") continue;
    const { name, description, reference } = verdict.work;
    const made = entriesOf(
      await createRole(tx, { actor, now, body: { name, description, firewallRules: [] } }),
    );
    ids.set(reference, made.data.id);
    entries.push(...made.entries);
  }
  for (const { verdict } of planned.roles) {
    if (verdict.kind !== "create" && verdict.kind !== "change") continue;
    const { description, rules } = verdict.work;
    if (verdict.kind === "create" && rules.length === 0) continue;
    const id = verdict.kind === "create" ? resolve(verdict.work.reference) : verdict.id;
    const body = { description, firewallRules: resolved(rules, resolve) };
    entries.push(...entriesOf(await updateRole(tx, { actor, now, id, body })).entries);
  }
  return { entries, resolve };
}

/** All are there already, but those that are new have nothing beside their names. */
async function applyTags(
  tx: Writer,
  { actor, now, planned }: Work,
  resolve: ResolveRole,
): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (const { thing, verdict } of planned.tags) {
    if (verdict.kind !== "create" && verdict.kind !== "change") continue;
    const { rules, ...rest } = verdict.work;
    const body = { ...rest, firewallRules: resolved(rules, resolve) };
    entries.push(...entriesOf(await updateTag(tx, { actor, now, name: thing.value.name, body })).entries);
  }
  return entries;
}

async function createPlannedHosts(
  ctx: Context,
  tx: Writer,
  { actor, now, planned }: Work,
  resolve: ResolveRole,
): Promise<AuditEntry[]> {
  const hosts = planned.hosts.flatMap(({ verdict }) =>
    verdict.kind === "create"
      ? [{ ...verdict.work, roleID: verdict.work.roleID && resolve(verdict.work.roleID) }]
      : [],
  );
  if (hosts.length === 0) return [];
  const at = (index: number, property: string) => `hosts[${index}].${property}`;
  return (await createHosts(ctx, tx, { author: authorOf(actor), now, hosts, at })).entries;
}

async function changePlannedHosts(
  tx: Writer,
  { actor, now, planned }: Work,
  resolve: ResolveRole,
): Promise<AuditEntry[]> {
  const changes = new Map(
    planned.hosts.flatMap(({ verdict }) => (verdict.kind === "change" ? [[verdict.id, verdict.work]] : [])),
  );
  if (changes.size === 0) return [];
  const author = authorOf(actor);
  const rows = await lockHostsForChange(tx, author.organizationID, [...changes.keys()]);
  const changed = rows.flatMap((before) => {
    const work = changes.get(before.id);
    if (!work) return [];
    const after = {
      ...before,
      role_id: work.roleID && resolve(work.roleID),
      static_addresses: work.staticAddresses,
      listen_port: work.listenPort,
      tags: [...new Set(work.tags)],
      config_overrides: work.configOverrides,
    };
    return [{ before, after }];
  });
  await writeHosts(
    tx,
    changed.map(({ after }) => after),
    now,
  );
  return changed.map(({ before, after }) => changeEntry(author, before, after));
}
