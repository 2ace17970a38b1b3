import type { Bookkeeper, Reader, Writer } from "../../infrastructure/db/client.ts";
import type { Plan } from "./plan.ts";
import type { Things } from "./things.ts";

export interface StoredPlan {
  things: Things;
  plan: Plan;
}

interface NewPlan {
  /** As JSON. */
  things: string;
  plan: Plan;
  expiresAt: Date;
}

export interface PlanKey {
  organizationID: string;
  tokenHash: Buffer;
}

const PLANS_MAX = 10;

/** The oldest plans beyond the limit are removed: people apply the plan that they looked at last. */
export async function storePlan(
  db: Bookkeeper,
  { organizationID, tokenHash }: PlanKey,
  { things, plan, expiresAt }: NewPlan,
): Promise<void> {
  await db
    .insertInto("import_plans")
    .values({
      token_hash: tokenHash,
      organization_id: organizationID,
      things,
      plan: JSON.stringify(plan),
      expires_at: expiresAt,
    })
    .execute();
  // After the insert, so that of several requests at the same time the last one sees every plan.
  await db
    .deleteFrom("import_plans")
    .where("token_hash", "in", (eb) =>
      eb
        .selectFrom("import_plans")
        .select("token_hash")
        .where("organization_id", "=", organizationID)
        .where("token_hash", "!=", tokenHash)
        .orderBy("expires_at", "desc")
        .offset(PLANS_MAX - 1),
    )
    .execute();
}

export async function findPlan(
  db: Reader,
  { organizationID, tokenHash }: PlanKey,
  now: Date,
): Promise<StoredPlan | undefined> {
  const row = await db
    .selectFrom("import_plans")
    .select(["things", "plan"])
    .where("organization_id", "=", organizationID)
    .where("token_hash", "=", tokenHash)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return row && { things: row.things as Things, plan: row.plan };
}

/** Of two who come with the same plan, the second waits for the first and finds none. */
export async function takePlan(tx: Writer, { organizationID, tokenHash }: PlanKey): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("import_plans")
    .where("organization_id", "=", organizationID)
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
