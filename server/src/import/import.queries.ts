import type { Bookkeeper, Reader, Writer } from "../db/client.ts";
import type { Plan, Request } from "./plan.ts";

export interface StoredPlan {
  request: Request;
  plan: Plan;
}

export interface PlanKey {
  organizationID: string;
  tokenHash: Buffer;
}

/** How many plans an organization keeps beside the newest: they can be as large as what was sent. */
const OTHERS_MAX = 9;

export async function storePlan(
  db: Bookkeeper,
  { organizationID, tokenHash }: PlanKey,
  { request, plan, expiresAt }: StoredPlan & { expiresAt: Date },
): Promise<void> {
  await db
    .deleteFrom("import_plans")
    .where("token_hash", "in", (eb) =>
      eb
        .selectFrom("import_plans")
        .select("token_hash")
        .where("organization_id", "=", organizationID)
        .orderBy("expires_at", "desc")
        .offset(OTHERS_MAX),
    )
    .execute();
  await db
    .insertInto("import_plans")
    .values({
      token_hash: tokenHash,
      organization_id: organizationID,
      request: JSON.stringify(request),
      plan: JSON.stringify(plan),
      expires_at: expiresAt,
    })
    .execute();
}

export function findPlan(
  db: Reader,
  { organizationID, tokenHash }: PlanKey,
  now: Date,
): Promise<StoredPlan | undefined> {
  return db
    .selectFrom("import_plans")
    .select(["request", "plan"])
    .where("organization_id", "=", organizationID)
    .where("token_hash", "=", tokenHash)
    .where("expires_at", ">", now)
    .executeTakeFirst();
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
