/** What is asked of Stripe, and what its answers mean here. Nothing of it knows the database. */
import { type Invoice, invoiceStatuses, type PaymentMethod } from "@lightkeeper/contract";
import { Stripe } from "stripe";
import type { StripeConfig } from "../../infrastructure/config/config.ts";
import type { Standing } from "./billing.service.ts";

const TIMEOUT_MS = 8000;
const RETRIES_MAX = 1;
const INVOICES_MAX = 24;
const SIGNATURE_TOLERANCE_SECONDS = 300;

export function createStripe({ secretKey, apiBase }: StripeConfig): Stripe {
  const base = apiBase ? new URL(apiBase) : undefined;
  return new Stripe(secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES_MAX,
    telemetry: false,
    ...(base && {
      protocol: base.protocol === "http:" ? "http" : "https",
      host: base.hostname,
      port: base.port || (base.protocol === "http:" ? "80" : "443"),
    }),
  });
}

export const isStripeError = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeError;

/** What is said of a failure: never what was sent. */
export const describeStripeError = ({ type, code, statusCode, requestId }: Stripe.errors.StripeError) => ({
  type,
  code,
  statusCode,
  stripeRequestID: requestId,
});

const isLiving = ({ status }: Stripe.Subscription) =>
  ["active", "trialing", "past_due", "unpaid", "paused"].includes(status);

/** Whatever will or may still be charged. */
export const isOpen = (subscription: Stripe.Subscription): boolean =>
  isLiving(subscription) || subscription.status === "incomplete";

/** Newest first, with all that is shown of them. */
export async function listSubscriptions(stripe: Stripe, customerID: string): Promise<Stripe.Subscription[]> {
  const { data } = await stripe.subscriptions.list({
    customer: customerID,
    status: "all",
    limit: 100,
    expand: ["data.default_payment_method", "data.customer.invoice_settings.default_payment_method"],
  });
  return data;
}

/** The one that counts: one that is paid for, else one that may come to be, else the last there was. */
export const chooseSubscription = (all: Stripe.Subscription[]): Stripe.Subscription | undefined =>
  all.find(isLiving) ?? all.find(isOpen) ?? all[0];

const instantOf = (seconds: number) => new Date(seconds * 1000);

function statusOf({ status, cancel_at, cancel_at_period_end }: Stripe.Subscription): Standing["status"] {
  if (status === "incomplete") return "pending";
  if (status === "past_due" || status === "unpaid" || status === "paused") return "pastDue";
  const isRunning = status === "active" || status === "trialing";
  return isRunning && cancel_at === null && !cancel_at_period_end ? "active" : "canceled";
}

export function standingOf(subscription: Stripe.Subscription): Standing {
  const periodEnd = subscription.cancel_at ?? subscription.items.data[0]?.current_period_end;
  const isOver = !isOpen(subscription);
  return {
    plan: isLiving(subscription) ? "pro" : "free",
    status: statusOf(subscription),
    currentPeriodEnd: isOver || periodEnd === undefined ? null : instantOf(periodEnd),
    paymentMethod: isOver ? null : paymentMethodOf(subscription),
  };
}

function paymentMethodOf({ default_payment_method, customer }: Stripe.Subscription): PaymentMethod | null {
  const ofCustomer =
    typeof customer === "object" && !customer.deleted
      ? customer.invoice_settings.default_payment_method
      : null;
  const method = default_payment_method ?? ofCustomer;
  if (!method || typeof method === "string") return null;
  const last4 = method.card?.last4 ?? method.sepa_debit?.last4 ?? method.us_bank_account?.last4 ?? null;
  return { kind: method.card?.brand ?? method.type, last4 };
}

/** Tells how many hosts there are now; answers how many it has been told. */
export async function tellQuantity(
  stripe: Stripe,
  subscription: Stripe.Subscription | undefined,
  hostCount: number,
): Promise<number | null> {
  const item = subscription && isLiving(subscription) ? subscription.items.data[0] : undefined;
  if (!item) return null;
  if (item.quantity !== hostCount)
    await stripe.subscriptionItems.update(item.id, {
      quantity: hostCount,
      proration_behavior: "create_prorations",
    });
  return hostCount;
}

/** Ends it now; what is left of the period is credited. */
export async function cancelSubscription(stripe: Stripe, { id }: Stripe.Subscription): Promise<void> {
  try {
    await stripe.subscriptions.cancel(id, { prorate: true, invoice_now: true });
  } catch (error) {
    // Somebody was faster.
    if (!(isStripeError(error) && error.code === "resource_missing")) throw error;
  }
}

export async function listStripeInvoices(stripe: Stripe, customerID: string): Promise<Invoice[]> {
  const { data } = await stripe.invoices.list({ customer: customerID, limit: INVOICES_MAX });
  return data.flatMap((invoice): Invoice[] => {
    // Drafts are nobody's business yet.
    const status = invoiceStatuses.find((known) => known === invoice.status);
    if (!status || !invoice.id) return [];
    return [
      {
        id: invoice.id,
        number: invoice.number,
        status,
        totalMinor: invoice.total,
        currency: invoice.currency,
        createdAt: instantOf(invoice.created).toISOString(),
        url: invoice.hosted_invoice_url ?? null,
      },
    ];
  });
}

/** After these it may stand differently. What else is said is of no interest. */
const telling = new Set<string>([
  "checkout.session.completed",
  "checkout.session.async_payment_succeeded",
  "checkout.session.async_payment_failed",
  "checkout.session.expired",
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
  "customer.subscription.paused",
  "customer.subscription.resumed",
  "customer.updated",
  "invoice.paid",
  "invoice.payment_failed",
]);

interface Concerning {
  object: string;
  id: string;
  customer?: string | { id: string } | null;
}

/** Throws unless Stripe signed it lately. Answers whom it is about; what it says is asked for, not believed. */
export function customerOfEvent(
  stripe: Stripe,
  secret: string,
  { payload, signature, now }: { payload: Buffer; signature: string | undefined; now: Date },
): string | undefined {
  const event = stripe.webhooks.constructEvent(
    payload,
    signature ?? "",
    secret,
    SIGNATURE_TOLERANCE_SECONDS,
    undefined,
    now.getTime(),
  );
  if (!telling.has(event.type)) return undefined;
  const { object, id, customer } = event.data.object as Concerning;
  if (object === "customer") return id;
  return typeof customer === "string" ? customer : customer?.id;
}
