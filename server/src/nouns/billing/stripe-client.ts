/** Requests to Stripe, and what its responses mean here. Does not use the database. */
import { type Invoice, invoiceStatuses, type PaymentMethod } from "@lightkeeper/contract";
import { Stripe } from "stripe";
import type { StripeConfig } from "../../infrastructure/config/config.ts";
import type { PlanSubscription } from "./billing.service.ts";

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

/** Leaves out what was sent. */
export const describeStripeError = ({ type, code, statusCode, requestId }: Stripe.errors.StripeError) => ({
  type,
  code,
  statusCode,
  stripeRequestID: requestId,
});

const isLive = ({ status }: Stripe.Subscription) =>
  ["active", "trialing", "past_due", "unpaid", "paused"].includes(status);

/** Whether the subscription may still be charged. */
export const isOpen = (subscription: Stripe.Subscription): boolean =>
  isLive(subscription) || subscription.status === "incomplete";

/** Newest first. */
export async function listSubscriptions(stripe: Stripe, customerID: string): Promise<Stripe.Subscription[]> {
  const { data } = await stripe.subscriptions.list({
    customer: customerID,
    status: "all",
    limit: 100,
    expand: ["data.default_payment_method", "data.customer.invoice_settings.default_payment_method"],
  });
  return data;
}

/** Prefers a live subscription, then an open one, then the most recent one. */
export const chooseSubscription = (all: Stripe.Subscription[]): Stripe.Subscription | undefined =>
  all.find(isLive) ?? all.find(isOpen) ?? all[0];

const instantOf = (seconds: number) => new Date(seconds * 1000);

function statusOf({
  status,
  cancel_at,
  cancel_at_period_end,
}: Stripe.Subscription): PlanSubscription["status"] {
  if (status === "incomplete") return "pending";
  if (status === "past_due" || status === "unpaid" || status === "paused") return "pastDue";
  const isRunning = status === "active" || status === "trialing";
  return isRunning && cancel_at === null && !cancel_at_period_end ? "active" : "canceled";
}

export function toPlanSubscription(subscription: Stripe.Subscription): PlanSubscription {
  const periodEnd = subscription.cancel_at ?? subscription.items.data[0]?.current_period_end;
  const isOver = !isOpen(subscription);
  return {
    plan: isLive(subscription) ? "pro" : "free",
    status: statusOf(subscription),
    currentPeriodEnd: isOver || periodEnd === undefined ? null : instantOf(periodEnd),
    paymentMethod: isOver ? null : paymentMethodOf(subscription),
  };
}

function paymentMethodOf({ default_payment_method, customer }: Stripe.Subscription): PaymentMethod | null {
  const customerMethod =
    typeof customer === "object" && !customer.deleted
      ? customer.invoice_settings.default_payment_method
      : null;
  const method = default_payment_method ?? customerMethod;
  if (!method || typeof method === "string") return null;
  const last4 = method.card?.last4 ?? method.sepa_debit?.last4 ?? method.us_bank_account?.last4 ?? null;
  return { kind: method.card?.brand ?? method.type, last4 };
}

/** Reports the host count to Stripe; returns the reported count, or null without a live subscription. */
export async function updateQuantity(
  stripe: Stripe,
  subscription: Stripe.Subscription | undefined,
  hostCount: number,
): Promise<number | null> {
  const item = subscription && isLive(subscription) ? subscription.items.data[0] : undefined;
  if (!item) return null;
  if (item.quantity !== hostCount)
    await stripe.subscriptionItems.update(item.id, {
      quantity: hostCount,
      proration_behavior: "create_prorations",
    });
  return hostCount;
}

/** Cancels immediately and credits the rest of the period. */
export async function cancelSubscription(stripe: Stripe, { id }: Stripe.Subscription): Promise<void> {
  try {
    await stripe.subscriptions.cancel(id, { prorate: true, invoice_now: true });
  } catch (error) {
    // Already canceled by a concurrent request.
    if (!(isStripeError(error) && error.code === "resource_missing")) throw error;
  }
}

export async function listStripeInvoices(stripe: Stripe, customerID: string): Promise<Invoice[]> {
  const { data } = await stripe.invoices.list({ customer: customerID, limit: INVOICES_MAX });
  return data.flatMap((invoice): Invoice[] => {
    // Drafts are not shown.
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

/** Events after which the subscription may have changed. */
const relevantEvents = new Set<string>([
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

interface EventObject {
  object: string;
  id: string;
  customer?: string | { id: string } | null;
}

/** Throws unless the event has a recent signature of Stripe. Returns the customer it is about. */
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
  if (!relevantEvents.has(event.type)) return undefined;
  const { object, id, customer } = event.data.object as EventObject;
  if (object === "customer") return id;
  return typeof customer === "string" ? customer : customer?.id;
}
