/** Applies a plan through the services of each noun. The caller has locked everything the plan is based on. */
import type { FirewallRule } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { AuditEntry, Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { changeEntry, lockHostsForChange, writeHosts } from "../../nouns/hosts/host-changes.service.ts";
import { createHosts } from "../../nouns/hosts/hosts.service.ts";
import { type Actor, authorOf } from "../../infrastructure/http/actor.ts";
import { createRole, updateRole } from "../../nouns/roles/roles.service.ts";
import { ensureTags } from "../../nouns/tags/ensure-tags.service.ts";
import { updateTag } from "../../nouns/tags/tags.service.ts";
import type { PlannedImport } from "./plan.ts";
import type { RoleReference } from "./plan-roles.ts";
import { referencedTags } from "./items.ts";

interface ApplyInput {
  actor: Actor;
  now: Date;
  planned: PlannedImport;
}

type ResolveRole = (reference: RoleReference) => string;

const isWritten = ({ action }: PlannedImport["roles" | "tags" | "hosts"][number]) =>
  action.kind === "create" || action.kind === "change";

export async function applyPlan(ctx: Context, tx: Writer, input: ApplyInput): Promise<AuditEntry[]> {
  const { actor, now, planned } = input;
  const names = referencedTags({
    role: planned.roles.filter(isWritten).map(({ item }) => item),
    tag: planned.tags.filter(isWritten).map(({ item }) => item),
    host: planned.hosts.filter(isWritten).map(({ item }) => item),
  });
  const tagEntries = await ensureTags(tx, { author: authorOf(actor), names, now });
  const roles = await applyRoles(tx, input);
  return mergeByTarget([
    ...tagEntries,
    ...roles.entries,
    ...(await applyTags(tx, input, roles.resolve)),
    ...(await createPlannedHosts(ctx, tx, input, roles.resolve)),
    ...(await changePlannedHosts(tx, input, roles.resolve)),
  ]);
}

/** Items that are created first and completed later get one audit entry. */
function mergeByTarget(entries: AuditEntry[]): AuditEntry[] {
  const byTarget = new Map<string, AuditEntry>();
  for (const entry of entries) {
    const key = `${entry.target.type} ${entry.target.id}`;
    const earlier = byTarget.get(key);
    byTarget.set(key, earlier ? { ...earlier, after: entry.after } : entry);
  }
  return [...byTarget.values()];
}

function requireDone<T>(outcome: Outcome<T>): { data: T; entries: AuditEntry[] } {
  if (outcome.kind !== "done") throw new Error("A role or tag was not presentKeys");
  return outcome;
}

const resolveRoleIDs = (rules: readonly FirewallRule[], resolve: ResolveRole): FirewallRule[] =>
  rules.map((rule) => ({ ...rule, allowedRoleID: rule.allowedRoleID && resolve(rule.allowedRoleID) }));

/** Roles may reference each other and themselves, so all are created before any rules are set. */
async function applyRoles(
  tx: Writer,
  { actor, now, planned }: ApplyInput,
): Promise<{ entries: AuditEntry[]; resolve: ResolveRole }> {
  const entries: AuditEntry[] = [];
  const ids = new Map<RoleReference, string>();
  const resolve = (reference: RoleReference) => ids.get(reference) ?? reference;
  for (const { action } of planned.roles) {
    if (action.kind !== "create") continue;
    const { name, description, reference } = action.values;
    const created = requireDone(
      await createRole(tx, { actor, now, body: { name, description, firewallRules: [] } }),
    );
    ids.set(reference, created.data.id);
    entries.push(...created.entries);
  }
  for (const { action } of planned.roles) {
    if (action.kind !== "create" && action.kind !== "change") continue;
    const { description, rules } = action.values;
    if (action.kind === "create" && rules.length === 0) continue;
    const id = action.kind === "create" ? resolve(action.values.reference) : action.id;
    const body = { description, firewallRules: resolveRoleIDs(rules, resolve) };
    entries.push(...requireDone(await updateRole(tx, { actor, now, id, body })).entries);
  }
  return { entries, resolve };
}

/** All tags exist already; new ones have nothing but a name. */
async function applyTags(
  tx: Writer,
  { actor, now, planned }: ApplyInput,
  resolve: ResolveRole,
): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (const { item, action } of planned.tags) {
    if (action.kind !== "create" && action.kind !== "change") continue;
    const { rules, ...rest } = action.values;
    const body = { ...rest, firewallRules: resolveRoleIDs(rules, resolve) };
    entries.push(...requireDone(await updateTag(tx, { actor, now, name: item.value.name, body })).entries);
  }
  return entries;
}

async function createPlannedHosts(
  ctx: Context,
  tx: Writer,
  { actor, now, planned }: ApplyInput,
  resolve: ResolveRole,
): Promise<AuditEntry[]> {
  const hosts = planned.hosts.flatMap(({ action }) =>
    action.kind === "create"
      ? [{ ...action.values, roleID: action.values.roleID && resolve(action.values.roleID) }]
      : [],
  );
  if (hosts.length === 0) return [];
  const at = (index: number, property: string) => `hosts[${index}].${property}`;
  return (await createHosts(ctx, tx, { author: authorOf(actor), now, hosts, pathAt: at })).entries;
}

async function changePlannedHosts(
  tx: Writer,
  { actor, now, planned }: ApplyInput,
  resolve: ResolveRole,
): Promise<AuditEntry[]> {
  const changes = new Map(
    planned.hosts.flatMap(({ action }) => (action.kind === "change" ? [[action.id, action.values]] : [])),
  );
  if (changes.size === 0) return [];
  const author = authorOf(actor);
  const rows = await lockHostsForChange(tx, author.organizationID, [...changes.keys()]);
  const changed = rows.flatMap((before) => {
    const values = changes.get(before.id);
    if (!values) return [];
    const after = {
      ...before,
      role_id: values.roleID && resolve(values.roleID),
      static_addresses: values.staticAddresses,
      listen_port: values.listenPort,
      tags: [...new Set(values.tags)],
      config_overrides: values.configOverrides,
      description: values.description,
      owner: values.owner,
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
