import type {
  BodyOf,
  createRole as createEndpoint,
  FirewallRule,
  updateRole as updateEndpoint,
} from "@lightkeeper/contract";
import { newId } from "../crypto/ids.ts";
import { type AuditEntry, done, type Outcome } from "../db/audited.ts";
import type { Writer } from "../db/client.ts";
import { violates } from "../db/violations.ts";
import { ApiError } from "../http/api-error.ts";
import { type Actor, auditActor } from "../http/credentials.ts";
import { holdRoles, isNamedInRules, lockRole, type RoleRow } from "./roles.queries.ts";

const auditRole = ({ name, description, firewall_rules }: RoleRow) => ({
  name,
  description,
  firewallRules: firewall_rules,
});

type Change = Pick<AuditEntry, "event" | "before" | "after">;

const entry = (actor: Actor, id: string, change: Change): AuditEntry => ({
  organizationID: actor.organization.id,
  actor: auditActor(actor),
  target: { type: "role", id },
  ...change,
});

/** Every role a rule names must be there, and stays there until the rule is stored. */
async function refuseUnknownRoles(tx: Writer, actor: Actor, rules: readonly FirewallRule[]): Promise<void> {
  const named = rules.flatMap(({ allowedRoleID }) => allowedRoleID ?? []);
  const known = await holdRoles(tx, actor.organization.id, [...new Set(named)]);
  const faults = rules.flatMap(({ allowedRoleID }, index) =>
    allowedRoleID !== null && !known.has(allowedRoleID)
      ? [{ code: "ERR_INVALID_REFERENCE" as const, path: `firewallRules[${index}].allowedRoleID` }]
      : [],
  );
  const [first, ...rest] = faults;
  if (first) throw ApiError.all([first, ...rest]);
}

async function refusingTakenName<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (violates(error, "roles_name_unique")) throw new ApiError("ERR_DUPLICATE_VALUE", { path: "name" });
    throw error;
  }
}

export async function createRole(
  tx: Writer,
  { actor, body, now }: { actor: Actor; body: BodyOf<typeof createEndpoint>; now: Date },
): Promise<Outcome<RoleRow>> {
  const rules = body.firewallRules ?? [];
  await refuseUnknownRoles(tx, actor, rules);
  const row = await refusingTakenName(
    tx
      .insertInto("roles")
      .values({
        id: newId("role"),
        organization_id: actor.organization.id,
        name: body.name,
        description: body.description,
        firewall_rules: JSON.stringify(rules),
        created_at: now,
        modified_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
  return done(row, entry(actor, row.id, { event: "CREATED", before: null, after: auditRole(row) }));
}

async function getLocked(tx: Writer, actor: Actor, id: string): Promise<RoleRow> {
  const row = await lockRole(tx, actor.organization.id, id);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

export async function updateRole(
  tx: Writer,
  { actor, id, body, now }: { actor: Actor; id: string; body: BodyOf<typeof updateEndpoint>; now: Date },
): Promise<Outcome<RoleRow>> {
  const before = await getLocked(tx, actor, id);
  const rules = body.firewallRules ?? [];
  await refuseUnknownRoles(tx, actor, rules);
  const after = await refusingTakenName(
    tx
      .updateTable("roles")
      .set({
        name: body.name,
        description: body.description,
        firewall_rules: JSON.stringify(rules),
        modified_at: now,
      })
      .where("organization_id", "=", actor.organization.id)
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
  return done(
    after,
    entry(actor, id, { event: "UPDATED", before: auditRole(before), after: auditRole(after) }),
  );
}

export async function deleteRole(
  tx: Writer,
  { actor, id }: { actor: Actor; id: string },
): Promise<Outcome<Record<string, never>>> {
  const row = await getLocked(tx, actor, id);
  if (row.host_count > 0 || (await isNamedInRules(tx, actor.organization.id, id)))
    throw new ApiError("ERR_HAS_DEPENDENTS");
  await tx
    .deleteFrom("roles")
    .where("organization_id", "=", actor.organization.id)
    .where("id", "=", id)
    .execute();
  return done({}, entry(actor, id, { event: "DELETED", before: auditRole(row), after: null }));
}
