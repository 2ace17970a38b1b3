import type { Billing, BillingProviderKind, PaymentMethod } from "@lightkeeper/contract";
import type { Config } from "../../infrastructure/config/config.ts";
import { type Author, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockOrganizationForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { setPlan } from "../organizations/organizations.service.ts";
import type { BillingRow } from "./billing.queries.ts";

export function billingKindOf({ stripe, appEnv }: Config): BillingProviderKind {
  if (stripe) return "stripe";
  return appEnv === "local" ? "builtin" : "none";
}

/** Without a payment provider there are no plan limits. */
export const planOfNewOrganizations = (config: Config) =>
  billingKindOf(config) === "none" ? "selfHosted" : "free";

export interface PlanSubscription {
  plan: "free" | "pro";
  status: "active" | "pending" | "pastDue" | "canceled";
  currentPeriodEnd: Date | null;
  paymentMethod: PaymentMethod | null;
}

export const ENDED_SUBSCRIPTION: PlanSubscription = {
  plan: "free",
  status: "canceled",
  currentPeriodEnd: null,
  paymentMethod: null,
};

interface AuditedSubscription extends Omit<PlanSubscription, "plan" | "status"> {
  plan: BillingRow["plan"];
  status: Billing["status"];
}

const auditSubscription = ({ plan, status, currentPeriodEnd, paymentMethod }: AuditedSubscription) => ({
  plan,
  status,
  currentPeriodEnd: currentPeriodEnd?.toISOString() ?? null,
  paymentMethod: paymentMethod && { kind: paymentMethod.kind, last4: paymentMethod.last4 },
});

export const isSameSubscription = (stored: BillingRow, subscription: PlanSubscription): boolean =>
  JSON.stringify(auditSubscription({ ...stored, status: stored.status ?? "none" })) ===
  JSON.stringify(auditSubscription(subscription));

/** Stores the subscription and the plan that follows from it. */
export async function saveSubscription(
  tx: Writer,
  { organizationID, actor }: Author,
  subscription: PlanSubscription,
): Promise<Outcome<void>> {
  const organization = await lockOrganizationForNoKeyUpdate(tx, organizationID);
  if (!organization) throw new ApiError("ERR_NOT_FOUND");
  const stored = await tx
    .selectFrom("subscriptions")
    .select(["status", "current_period_end as currentPeriodEnd", "payment_method as paymentMethod"])
    .where("organization_id", "=", organizationID)
    .executeTakeFirst();
  const row = {
    status: subscription.status,
    current_period_end: subscription.currentPeriodEnd,
    payment_method: subscription.paymentMethod && JSON.stringify(subscription.paymentMethod),
  };
  await tx
    .insertInto("subscriptions")
    .values({ organization_id: organizationID, ...row })
    .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(row))
    .execute();
  await setPlan(tx, organizationID, subscription.plan);
  const none = { status: "none", currentPeriodEnd: null, paymentMethod: null } as const;
  return done(undefined, {
    organizationID,
    actor,
    target: { type: "billing", id: organizationID },
    event: "UPDATED",
    before: auditSubscription({ plan: organization.plan, ...(stored ?? none) }),
    after: auditSubscription(subscription),
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
