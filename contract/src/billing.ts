import * as z from "zod/mini";
import { plans } from "./auth.ts";
import { access, data, endpoint } from "./endpoint.ts";
import { Empty, instant } from "./fields.ts";

const noun = "billing";

/** What a host costs in a month on the pro plan. */
export const HOST_PRICE_USD = 1;

/** `builtin` takes no money: it is there to try everything. `none`: nothing is sold here. */
export const billingProviders = ["stripe", "builtin", "none"] as const;
export type BillingProviderKind = (typeof billingProviders)[number];

/**
 * `pending`: a checkout has begun and is not over. `canceled` on the pro plan: it ends with the period that has been
 * paid for; on the free plan: it has ended.
 */
export const billingStatuses = ["none", "active", "pending", "pastDue", "canceled"] as const;
export type BillingStatus = (typeof billingStatuses)[number];

export const PaymentMethod = z.strictObject({
  /** "visa", or what else it is: "sepa_debit". */
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

const Elsewhere = z.strictObject({ url: z.string() });

export const getBilling = endpoint({
  method: "GET",
  path: "/v1/billing",
  noun,
  summary: "The plan, what it is used for and how it is paid",
  access: access.session,
  answer: data(Billing),
});

export const listInvoices = endpoint({
  method: "GET",
  path: "/v1/billing/invoices",
  noun,
  summary: "The latest invoices, newest first",
  access: access.session,
  answer: data(z.array(Invoice)),
});

export const startCheckout = endpoint({
  method: "POST",
  path: "/v1/billing/checkout",
  noun,
  summary: "Begin the upgrade to the pro plan, or go on with one that has begun; answers where to pay",
  access: access.owner,
  answer: data(Elsewhere),
  errors: ["ERR_BILLING_INVALID_STATE"],
});

export const confirmCheckout = endpoint({
  method: "POST",
  path: "/v1/billing/checkout/confirm",
  noun,
  summary: "Upgrade at once, where the built-in provider takes the place of a real one",
  access: access.owner,
  answer: data(Empty),
  errors: ["ERR_BILLING_INVALID_STATE"],
});

export const openBillingPortal = endpoint({
  method: "POST",
  path: "/v1/billing/portal",
  noun,
  summary: "Answers where to change the payment method and the address of invoices",
  access: access.owner,
  answer: data(Elsewhere),
  errors: ["ERR_BILLING_INVALID_STATE"],
});

export const downgradePlan = endpoint({
  method: "POST",
  path: "/v1/billing/downgrade",
  noun,
  summary: "Go back to the free plan, at once; hosts beyond its limit stay, but none can be added",
  access: access.owner,
  answer: data(Empty),
  errors: ["ERR_BILLING_INVALID_STATE"],
});

export const receiveBillingEvent = endpoint({
  method: "POST",
  path: "/v1/billing/webhook",
  noun,
  summary: "For the payment provider, which signs what it says",
  access: access.public,
  // An event holds the whole invoice with its lines.
  bodyBytesMax: 256 * 1024,
  answer: data(Empty),
  errors: ["ERR_NOT_FOUND", "ERR_INVALID_VALUE", "ERR_PAYLOAD_TOO_LARGE"],
});
