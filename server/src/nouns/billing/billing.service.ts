import type { Billing, BillingProviderKind, PaymentMethod } from "@lightkeeper/contract";
import type { Config } from "../../infrastructure/config/config.ts";
import { type Author, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { BillingRow } from "./billing.queries.ts";

export function billingKindOf({ stripe, appEnv }: Config): BillingProviderKind {
  if (stripe) return "stripe";
  return appEnv === "local" ? "builtin" : "none";
}

/** Where nothing is sold nothing is limited. */
export const planOfNewOrganizations = (config: Config) =>
  billingKindOf(config) === "none" ? "selfHosted" : "free";

/** How it stands with what an organization pays for. */
export interface Standing {
  plan: "free" | "pro";
  status: "active" | "pending" | "pastDue" | "canceled";
  currentPeriodEnd: Date | null;
  paymentMethod: PaymentMethod | null;
}

export const ENDED: Standing = {
  plan: "free",
  status: "canceled",
  currentPeriodEnd: null,
  paymentMethod: null,
};

interface Audited extends Omit<Standing, "plan" | "status"> {
  plan: BillingRow["plan"];
  status: Billing["status"];
}

const auditStanding = ({ plan, status, currentPeriodEnd, paymentMethod }: Audited) => ({
  plan,
  status,
  currentPeriodEnd: currentPeriodEnd?.toISOString() ?? null,
  paymentMethod: paymentMethod && { kind: paymentMethod.kind, last4: paymentMethod.last4 },
});

export const isSameStanding = (stored: BillingRow, standing: Standing): boolean =>
  JSON.stringify(auditStanding({ ...stored, status: stored.status ?? "none" })) ===
  JSON.stringify(auditStanding(standing));

/** Writes down how it stands, with the plan that follows from it. */
export async function settle(
  tx: Writer,
  { organizationID, actor }: Author,
  standing: Standing,
): Promise<Outcome<void>> {
  const organization = await tx
    .selectFrom("organizations")
    .select("plan")
    .where("id", "=", organizationID)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!organization) throw new ApiError("ERR_NOT_FOUND");
  const stored = await tx
    .selectFrom("subscriptions")
    .select(["status", "current_period_end as currentPeriodEnd", "payment_method as paymentMethod"])
    .where("organization_id", "=", organizationID)
    .executeTakeFirst();
  const row = {
    status: standing.status,
    current_period_end: standing.currentPeriodEnd,
    payment_method: standing.paymentMethod && JSON.stringify(standing.paymentMethod),
  };
  await tx
    .insertInto("subscriptions")
    .values({ organization_id: organizationID, ...row })
    .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(row))
    .execute();
  await tx
    .updateTable("organizations")
    .set({ plan: standing.plan })
    .where("id", "=", organizationID)
    .execute();
  const none = { status: "none", currentPeriodEnd: null, paymentMethod: null } as const;
  return done(undefined, {
    organizationID,
    actor,
    target: { type: "billing", id: organizationID },
    event: "UPDATED",
    before: auditStanding({ plan: organization.plan, ...(stored ?? none) }),
    after: auditStanding(standing),
  });
}

function statusOf({ plan, status, checkoutExpiresAt }: BillingRow, now: Date): Billing["status"] {
  if (plan === "pro") return status ?? "active";
  if (plan === "free" && checkoutExpiresAt && checkoutExpiresAt > now) return "pending";
  return status ?? "none";
}

export function toBilling(config: Config, row: BillingRow, now: Date): Billing {
  return {
    plan: row.plan,
    provider: billingKindOf(config),
    hostCount: row.hostCount,
    hostLimit: row.plan === "free" ? config.freePlanHostLimit : null,
    status: statusOf(row, now),
    currentPeriodEnd: row.currentPeriodEnd?.toISOString() ?? null,
    ...(row.paymentMethod && { paymentMethod: row.paymentMethod }),
  };
}
