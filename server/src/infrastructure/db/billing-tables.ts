/** Subscriptions, and the state that is shared with the payment provider. */
import type { PaymentMethod } from "@lightkeeper/contract";
import type { JSONColumnType } from "kysely";
import type { Fixed } from "./column-types.ts";

export interface BillingTables {
  /** One per organization that has had a paid plan or a pending one. */
  subscriptions: {
    organization_id: Fixed<string>;
    status: "active" | "pending" | "pastDue" | "canceled";
    current_period_end: Date | null;
    payment_method: JSONColumnType<PaymentMethod | null, string | null, string | null>;
  };
  /** The organization's customer at the payment provider. Outlives the organization until nothing is left to pay. */
  billing_accounts: {
    organization_id: Fixed<string>;
    customer_id: string | null;
    /** Idempotency key, so that the provider treats two attempts as one. */
    checkout_key: string;
    checkout_quantity: number;
    checkout_started_at: Date;
    checkout_session_id: string | null;
    checkout_expires_at: Date | null;
    /** The number of hosts that was last sent to the provider; null without a subscription. */
    quantity: number | null;
    /** Raised whenever the state that the provider reported is stored. */
    version: number;
    synced_at: Date;
  };
}
