import * as z from "zod/mini";
import { plans } from "../auth.ts";
import { access, data, endpoint } from "../endpoint.ts";
import { Empty, instant } from "../fields.ts";

const noun = "billing";

/** Price per host per month on the Pro plan. */
export const HOST_PRICE_USD = 1;

/** `builtin`: a simulated provider for local servers. `none`: billing is disabled. */
export const billingProviders = ["stripe", "builtin", "none"] as const;
export type BillingProviderKind = (typeof billingProviders)[number];

/**
 * `pending`: a checkout has started but isn't complete. `canceled` on the Pro plan: the plan ends with the paid
 * period; on the Free plan: it has ended.
 */
export const billingStatuses = ["none", "active", "pending", "pastDue", "canceled"] as const;
export type BillingStatus = (typeof billingStatuses)[number];

export const PaymentMethod = z.strictObject({
  /** For example "visa" or "sepa_debit". */
  kind: z.string(),
  last4: z.nullable(z.string()),
});
export type PaymentMethod = z.output<typeof PaymentMethod>;

export const Billing = z.strictObject({
  plan: z.enum(plans),
  provider: z.enum(billingProviders),
  hostCount: z.number(),
  /** Null: no limit. */
  hostLimit: z.nullable(z.number()),
  status: z.enum(billingStatuses),
  currentPeriodEnd: z.nullable(instant()),
  paymentMethod: z.optional(PaymentMethod),
});
export type Billing = z.output<typeof Billing>;

export const invoiceStatuses = ["open", "paid", "uncollectible", "void"] as const;

export const Invoice = z.strictObject({
  id: z.string(),
  number: z.nullable(z.string()),
  status: z.enum(invoiceStatuses),
  /** In the smallest unit of the currency. */
  totalMinor: z.number(),
  /** ISO 4217, in lower case. */
  currency: z.string(),
  createdAt: instant(),
  url: z.nullable(z.string()),
});
export type Invoice = z.output<typeof Invoice>;

const Redirect = z.strictObject({ url: z.string() });

export const getBilling = endpoint({
  method: "GET",
  path: "/v1/billing",
  noun,
  summary: "Get the plan, its usage and its payment method",
  access: access.session,
  response: data(Billing),
});

export const listInvoices = endpoint({
  method: "GET",
  path: "/v1/billing/invoices",
  noun,
  summary: "List the latest invoices, newest first",
  access: access.session,
  response: data(z.array(Invoice)),
});

export const startCheckout = endpoint({
  method: "POST",
  path: "/v1/billing/checkout",
  noun,
  summary: "Start or continue the upgrade to the Pro plan; returns the URL of the payment page",
  access: access.owner,
  response: data(Redirect),
  errors: ["ERR_BILLING_INVALID_STATE"],
});

export const confirmCheckout = endpoint({
  method: "POST",
  path: "/v1/billing/checkout/confirm",
  noun,
  summary: "Upgrade immediately, with the built-in provider only",
  access: access.owner,
  response: data(Empty),
  errors: ["ERR_BILLING_INVALID_STATE"],
});

export const openBillingPortal = endpoint({
  method: "POST",
  path: "/v1/billing/portal",
  noun,
  summary: "Get the URL of the page for the payment method and the billing address",
  access: access.owner,
  response: data(Redirect),
  errors: ["ERR_BILLING_INVALID_STATE"],
});

export const downgradePlan = endpoint({
  method: "POST",
  path: "/v1/billing/downgrade",
  noun,
  summary: "Downgrade to the Free plan immediately; hosts over its limit remain, but none can be added",
  access: access.owner,
  response: data(Empty),
  errors: ["ERR_BILLING_INVALID_STATE"],
});

export const receiveBillingEvent = endpoint({
  method: "POST",
  path: "/v1/billing/webhook",
  noun,
  summary: "Receive a signed event from the payment provider",
  access: access.public,
  // An event contains a whole invoice with all lines.
  bodyBytesMax: 256 * 1024,
  response: data(Empty),
  errors: ["ERR_NOT_FOUND", "ERR_INVALID_VALUE", "ERR_PAYLOAD_TOO_LARGE"],
});
