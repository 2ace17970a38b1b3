import type { Organization } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockOrganizationForUpdate } from "../../infrastructure/db/locks.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { auditActor, type Person } from "../../infrastructure/http/actor.ts";
import { findFeatureFlags } from "./organizations.queries.ts";

interface NewOrganization {
  id: string;
  name: string;
  plan: Organization["plan"];
  /** The plan that was chosen at sign-up. */
  wantedPlan: "pro" | null;
  now: Date;
}

export async function insertOrganization(
  tx: Writer,
  { wantedPlan, now, ...organization }: NewOrganization,
): Promise<void> {
  await tx
    .insertInto("organizations")
    .values({ ...organization, wanted_plan: wantedPlan, created_at: now })
    .execute();
}

export async function setPlan(tx: Writer, id: string, plan: Organization["plan"]): Promise<void> {
  await tx.updateTable("organizations").set({ plan }).where("id", "=", id).execute();
}

/** Moves organizations from the Free plan to the plan without limits; returns the IDs of those that were moved. */
export async function liftPlanLimits(tx: Writer, ids: string[]): Promise<string[]> {
  const updated = await tx
    .updateTable("organizations")
    .set({ plan: "selfHosted" })
    .where("plan", "=", "free")
    .where("id", "in", ids)
    .returning("id")
    .execute();
  return updated.map(({ id }) => id);
}

/** Locks the person's own organization; any other is not found. */
async function lockOwnOrganization(tx: Writer, person: Person, id: string) {
  const row = id === person.organization.id ? await lockOrganizationForUpdate(tx, id) : undefined;
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

export async function renameOrganization(
  tx: Writer,
  { person, id, name }: { person: Person; id: string; name: string },
): Promise<Outcome<Organization>> {
  const { name: before, plan, created_at } = await lockOwnOrganization(tx, person, id);
  await tx.updateTable("organizations").set({ name }).where("id", "=", id).execute();
  return done(
    { id, name, plan, createdAt: created_at.toISOString() },
    {
      organizationID: id,
      actor: auditActor(person),
      target: { type: "organization", id },
      event: "UPDATED",
      before: { name: before },
      after: { name },
    },
  );
}

/** Deletes the rows of one table. */
export type DeleteRows = (tx: Writer, organizationID: string) => Promise<void>;

interface DeleteOrganization {
  person: Person;
  id: string;
  /** For tables that reference rows without a cascade, in this order; the rest cascades. */
  deleteUncascaded: readonly DeleteRows[];
}

export async function deleteOrganization(
  tx: Writer,
  { person, id, deleteUncascaded }: DeleteOrganization,
): Promise<Outcome<Record<string, never>>> {
  const row = await lockOwnOrganization(tx, person, id);
  if (row.plan === "pro") throw new ApiError("ERR_BILLING_INVALID_STATE");
  for (const deleteRows of deleteUncascaded) await deleteRows(tx, id);
  await tx.deleteFrom("organizations").where("id", "=", id).execute();
  return done(
    {},
    {
      organizationID: id,
      actor: auditActor(person),
      target: { type: "organization", id },
      event: "DELETED",
      before: { name: row.name, plan: row.plan },
      after: null,
    },
  );
}

/** The configured flags, overridden by the organization's own. */
export async function featureFlagsOf(
  { config, reader }: Context,
  organizationID: string,
): Promise<Record<string, boolean>> {
  return { ...config.featureFlags, ...(await findFeatureFlags(reader, organizationID)) };
}

export async function isFeatureOn(ctx: Context, organizationID: string, name: string): Promise<boolean> {
  return (await featureFlagsOf(ctx, organizationID))[name] ?? false;
}

/** Used by the operator to override a configured flag for one organization. */
export async function setFeatureFlag(
  tx: Writer,
  { organizationID, name, value }: { organizationID: string; name: string; value: boolean },
): Promise<Outcome<boolean>> {
  const organization = await tx
    .selectFrom("organizations")
    .select("id")
    .where("id", "=", organizationID)
    .executeTakeFirst();
  if (!organization) throw new Error(`Organization ${organizationID} does not exist`);
  const before = await tx
    .selectFrom("feature_flags")
    .select("value")
    .where("organization_id", "=", organizationID)
    .where("name", "=", name)
    .executeTakeFirst();
  await tx
    .insertInto("feature_flags")
    .values({ organization_id: organizationID, name, value })
    .onConflict((conflict) => conflict.columns(["organization_id", "name"]).doUpdateSet({ value }))
    .execute();
  return done(value, {
    organizationID,
    actor: { type: "support" },
    target: { type: "organization", id: organizationID },
    event: "UPDATED",
    before: { featureFlags: before ? { [name]: before.value } : {} },
    after: { featureFlags: { [name]: value } },
  });
}
