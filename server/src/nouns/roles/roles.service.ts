import type {
  BodyOf,
  createRole as createEndpoint,
  updateRole as updateEndpoint,
} from "@lightkeeper/contract";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { recordLocked } from "../../infrastructure/db/lock-order.ts";
import {
  lockOrganizationForNoKeyUpdate,
  lockRoleForNoKeyUpdate,
  lockRoleForUpdate,
} from "../../infrastructure/db/locks.ts";
import { requireUnique } from "../../infrastructure/db/violations.ts";
import type { Detach } from "../firewall-rules/detached-rules.ts";
import { requireNoDependents } from "../../features/dependents/dependents.service.ts";
import { ensureRuleReferences } from "../tags/rule-references.service.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { type Actor, authorOf } from "../../infrastructure/http/actor.ts";
import { lockNetworksAndBumpRevisions } from "../networks/revisions.service.ts";
import { removeFromDeviceSettings } from "../sso/device-settings.service.ts";
import { insertRole } from "./insert-role.service.ts";
import { roleEntry } from "./role-entry.ts";
import { type CountedRole, findRole } from "./roles.queries.ts";

const UNIQUE_NAME = { index: "roles_name_unique", path: "name" };

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
  const tagEntries = await ensureRuleReferences(tx, { author: authorOf(actor), rules, now });
  const id = newId("role");
  const role = { ...body, firewallRules: rules };
  await requireUnique(insertRole(tx, { id, organizationID: actor.organization.id, role, now }), UNIQUE_NAME);
  recordLocked(tx, "roles", [id]);
  const row = await getRole(tx, actor, id);
  const entry = roleEntry(authorOf(actor), id, { event: "CREATED", before: null, after: row });
  return done(row, entry, ...tagEntries);
}

export async function updateRole(
  tx: Writer,
  { actor, id, body, now }: { actor: Actor; id: string; body: BodyOf<typeof updateEndpoint>; now: Date },
): Promise<Outcome<CountedRole>> {
  const rules = body.firewallRules ?? [];
  const tagEntries = await ensureRuleReferences(tx, { author: authorOf(actor), rules, now });
  await lockRoleForNoKeyUpdate(tx, actor.organization.id, id);
  const before = await getRole(tx, actor, id);
  await requireUnique(
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
    UNIQUE_NAME,
  );
  await lockNetworksAndBumpRevisions(tx, actor.organization.id, { roleIDs: [id] });
  const after = await getRole(tx, actor, id);
  return done(after, roleEntry(authorOf(actor), id, { event: "UPDATED", before, after }), ...tagEntries);
}

interface DeleteRole {
  actor: Actor;
  id: string;
  /** Also remove it from hosts and rules; otherwise a role in use is not deleted. */
  detach: Detach | undefined;
  now: Date;
}

export async function deleteRole(
  tx: Writer,
  { actor, id, detach, now }: DeleteRole,
): Promise<Outcome<Record<string, never>>> {
  const author = authorOf(actor);
  const { organizationID } = author;
  const reference = { roleID: id };
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  await lockRoleForUpdate(tx, organizationID, id);
  const before = await getRole(tx, actor, id);
  if (!detach) await requireNoDependents(tx, organizationID, reference);
  const detached = detach ? await detach(tx, { author, reference, now }) : [];
  const settings = await removeFromDeviceSettings(tx, { author, reference, now });
  await tx.deleteFrom("roles").where("organization_id", "=", organizationID).where("id", "=", id).execute();
  const deletion = roleEntry(author, id, { event: "DELETED", before, after: null });
  return done({}, deletion, ...detached, ...settings);
}
