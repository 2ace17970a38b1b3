import type { BillingStatus, PaymentMethod } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import type { Organization } from "../../infrastructure/http/actor.ts";

export interface BillingRow {
  plan: Organization["plan"];
  hostCount: number;
  status: Exclude<BillingStatus, "none"> | null;
  currentPeriodEnd: Date | null;
  paymentMethod: PaymentMethod | null;
  checkoutExpiresAt: Date | null;
}

export function findBilling(db: Reader, organizationID: string): Promise<BillingRow | undefined> {
  return db
    .selectFrom("organizations")
    .leftJoin("subscriptions", "subscriptions.organization_id", "organizations.id")
    .leftJoin("billing_accounts", "billing_accounts.organization_id", "organizations.id")
    .select((eb) => [
      "organizations.plan",
      "subscriptions.status",
      "subscriptions.current_period_end as currentPeriodEnd",
      "subscriptions.payment_method as paymentMethod",
      "billing_accounts.checkout_expires_at as checkoutExpiresAt",
      eb
        .selectFrom("networks")
        .select(sql<number>`coalesce(sum(networks.host_count), 0)::int`.as("count"))
        .where("networks.organization_id", "=", organizationID)
        .$asScalar()
        .$notNull()
        .as("hostCount"),
    ])
    .where("organizations.id", "=", organizationID)
    .executeTakeFirst();
}
