import type {
  BodyOf,
  createRole as createEndpoint,
  updateRole as updateEndpoint,
} from "@lightkeeper/contract";
import { newId } from "../crypto/ids.ts";
import { type AuditEntry, done, type Outcome } from "../db/audited.ts";
import type { Writer } from "../db/client.ts";
import { violates } from "../db/violations.ts";
import { refuseDependents } from "../dependents/dependents.service.ts";
import { holdRuleReferences } from "../firewall-rules/firewall-rules.service.ts";
import { ApiError } from "../http/api-error.ts";
import { type Actor, authorOf } from "../http/credentials.ts";
import { reviseNetworksWith } from "../networks/held-networks.service.ts";
import { type CountedRole, findRole, holdRole, lockRole } from "./roles.queries.ts";

const auditRole = ({ name, description, firewall_rules }: CountedRole) => ({
  name,
  description,
  firewallRules: firewall_rules,
});

type Change = Pick<AuditEntry, "event" | "before" | "after">;

const entry = (actor: Actor, id: string, change: Change): AuditEntry => ({
  ...authorOf(actor),
  target: { type: "role", id },
  ...change,
});

async function refusingTakenName(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (violates(error, "roles_name_unique")) throw new ApiError("ERR_DUPLICATE_VALUE", { path: "name" });
    throw error;
  }
}

async function getRole(tx: Writer, actor: Actor, id: string): Promise<CountedRole> {
  const row = await findRole(tx, actor.organization.id, id);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

export async function createRole(
  tx: Writer,
  { actor, body, now }: { actor: Actor; body: BodyOf<typeof createEndpoint>; now: Date },
): Promise<Outcome<CountedRole>> {
  const rules = body.firewallRules ?? [];
  const made = await holdRuleReferences(tx, { author: authorOf(actor), rules, now });
  const id = newId("role");
  await refusingTakenName(
    tx
      .insertInto("roles")
      .values({
        id,
        organization_id: actor.organization.id,
        name: body.name,
        description: body.description,
        firewall_rules: JSON.stringify(rules),
        created_at: now,
        modified_at: now,
      })
      .execute(),
  );
  const role = await getRole(tx, actor, id);
  return done(role, entry(actor, id, { event: "CREATED", before: null, after: auditRole(role) }), ...made);
}

export async function updateRole(
  tx: Writer,
  { actor, id, body, now }: { actor: Actor; id: string; body: BodyOf<typeof updateEndpoint>; now: Date },
): Promise<Outcome<CountedRole>> {
  const rules = body.firewallRules ?? [];
  const made = await holdRuleReferences(tx, { author: authorOf(actor), rules, now });
  await holdRole(tx, actor.organization.id, id);
  const before = await getRole(tx, actor, id);
  await refusingTakenName(
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
      .execute(),
  );
  await reviseNetworksWith(tx, actor.organization.id, { roleID: id });
  const after = await getRole(tx, actor, id);
  const change = { event: "UPDATED", before: auditRole(before), after: auditRole(after) } as const;
  return done(after, entry(actor, id, change), ...made);
}

export async function deleteRole(
  tx: Writer,
  { actor, id }: { actor: Actor; id: string },
): Promise<Outcome<Record<string, never>>> {
  const organizationID = actor.organization.id;
  await lockRole(tx, organizationID, id);
  const before = await getRole(tx, actor, id);
  await refuseDependents(tx, organizationID, { roleID: id });
  await tx.deleteFrom("roles").where("organization_id", "=", organizationID).where("id", "=", id).execute();
  return done({}, entry(actor, id, { event: "DELETED", before: auditRole(before), after: null }));
}
