import type { UnauditedWriter, Reader, Writer } from "../../infrastructure/db/client.ts";
import type { Plan } from "./plan.ts";
import type { ParsedItems } from "./items.ts";

export interface StoredPlan {
  items: ParsedItems;
  plan: Plan;
}

interface NewPlan {
  /** JSON. */
  items: string;
  plan: Plan;
  expiresAt: Date;
}

export interface PlanKey {
  organizationID: string;
  tokenHash: Buffer;
}

const PLANS_MAX = 10;

/** Deletes the oldest plans beyond the limit: people apply the plan they looked at last. */
export async function storePlan(
  db: UnauditedWriter,
  { organizationID, tokenHash }: PlanKey,
  { items, plan, expiresAt }: NewPlan,
): Promise<void> {
  await db
    .insertInto("import_plans")
    .values({
      token_hash: tokenHash,
      organization_id: organizationID,
      things: items,
      plan: JSON.stringify(plan),
      expires_at: expiresAt,
    })
    .execute();
  // After the insert, so that the last of several concurrent requests sees every plan.
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
  return row && { items: row.things as ParsedItems, plan: row.plan };
}

/** The second of two concurrent calls waits for the first and returns false. */
export async function takePlan(tx: Writer, { organizationID, tokenHash }: PlanKey): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("import_plans")
    .where("organization_id", "=", organizationID)
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteExpiredPlans(db: UnauditedWriter, now: Date): Promise<void> {
  await db.deleteFrom("import_plans").where("expires_at", "<=", now).execute();
}
