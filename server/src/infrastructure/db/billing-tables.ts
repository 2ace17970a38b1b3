/** What is sold, and what the payment provider has to be told and asked. */
import type { PaymentMethod } from "@lightkeeper/contract";
import type { JSONColumnType } from "kysely";
import type { Fixed } from "./agent-tables.ts";

export interface BillingTables {
  /** One per organization that has ever paid, or is about to. */
  subscriptions: {
    organization_id: Fixed<string>;
    status: "active" | "pending" | "pastDue" | "canceled";
    current_period_end: Date | null;
    payment_method: JSONColumnType<PaymentMethod | null, string | null, string | null>;
  };
  /** The payment provider's side of an organization. Stays when the organization goes, until nothing is left to pay. */
  billing_accounts: {
    organization_id: Fixed<string>;
    customer_id: string | null;
    /** Says to the provider that two attempts are one. */
    checkout_key: string;
    checkout_quantity: number;
    checkout_started_at: Date;
    checkout_session_id: string | null;
    checkout_expires_at: Date | null;
    /** Hosts as the provider was last told; null: nothing is subscribed. */
    quantity: number | null;
    /** Moves with everything that is written down about what the provider said. */
    version: number;
    synced_at: Date;
  };
}
