/** The objects of Stripe's API that the server uses. */
import { randomBytes } from "node:crypto";

export interface CheckoutSession {
  id: string;
  customer: string;
  quantity: number;
  status: "open" | "complete" | "expired";
  expires_at: number;
}

export interface Subscription {
  id: string;
  customer: string;
  status: string;
  quantity: number;
  cancel_at: number | null;
  periodEnd: number;
  card: { brand: string; last4: string } | null;
}

/** Everything that the fake Stripe stores. */
export interface StripeRecords {
  customers: Map<string, { id: string; email: string; organizationID: string }>;
  sessions: Map<string, CheckoutSession>;
  subscriptions: Map<string, Subscription>;
  invoices: object[];
  /** Rules that requests broke. */
  violations: string[];
}

export const nowSeconds = () => Math.floor(Date.now() / 1000);
export const newID = (prefix: string) => `${prefix}_${randomBytes(8).toString("hex")}`;

export const sessionObject = ({ id, customer, status, expires_at }: CheckoutSession) => ({
  id,
  object: "checkout.session",
  customer,
  status,
  expires_at,
  url: status === "open" ? `https://checkout.stripe.example/${id}` : null,
});

export const subscriptionObject = (subscription: Subscription) => ({
  id: subscription.id,
  object: "subscription",
  status: subscription.status,
  cancel_at: subscription.cancel_at,
  cancel_at_period_end: false,
  customer: { id: subscription.customer, invoice_settings: { default_payment_method: null } },
  default_payment_method: subscription.card && { id: "pm_1", type: "card", card: subscription.card },
  items: {
    object: "list",
    data: [
      {
        id: `si_${subscription.id}`,
        quantity: subscription.quantity,
        current_period_end: subscription.periodEnd,
      },
    ],
  },
});
