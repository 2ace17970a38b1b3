import type { Invoice } from "@lightkeeper/contract";
import { Stripe } from "stripe";
import type { StripeConfig } from "../../infrastructure/config/config.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { auditActor, authorOf, type User } from "../../infrastructure/http/actor.ts";
import { claimDueAccount, findAccount, findOrganizationByCustomer } from "./accounts.ts";
import { findBilling } from "./billing.queries.ts";
import { ENDED_SUBSCRIPTION, saveSubscription } from "./billing.service.ts";
import type { BillingProvider } from "./provider.ts";
import { reconcile } from "./reconcile.ts";
import { openCheckout, type StripeContext } from "./stripe-checkout.ts";
import {
  cancelSubscription,
  createStripe,
  customerOfEvent,
  describeStripeError,
  isOpen,
  isStripeError,
  listStripeInvoices,
  listSubscriptions,
} from "./stripe-client.ts";

/** Reports a failing provider as ERR_UNAVAILABLE: the caller did nothing wrong. */
async function handleStripeErrors<T>({ log }: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isStripeError(error)) throw error;
    log.warn({ stripe: describeStripeError(error) }, "Stripe request failed");
    throw new ApiError("ERR_UNAVAILABLE", { message: "the payment provider is not responding" });
  }
}

async function openPortal(
  { ctx, stripe, billingURL }: StripeContext,
  { organization }: User,
): Promise<string> {
  const account = await findAccount(ctx.reader, organization.id);
  if (!account?.customer_id) throw new ApiError("ERR_BILLING_INVALID_STATE");
  const { url } = await stripe.billingPortal.sessions.create({
    customer: account.customer_id,
    return_url: billingURL,
  });
  return url;
}

async function downgrade({ ctx, stripe }: StripeContext, person: User): Promise<void> {
  const organizationID = person.organization.id;
  const billing = await findBilling(ctx.reader, organizationID);
  if (billing?.plan !== "pro") throw new ApiError("ERR_BILLING_INVALID_STATE");
  const account = await findAccount(ctx.reader, organizationID);
  const subscriptions = account?.customer_id ? await listSubscriptions(stripe, account.customer_id) : [];
  // The plan was granted without a subscription.
  if (subscriptions.length === 0)
    return ctx.audited((tx) => saveSubscription(tx, authorOf(person), ENDED_SUBSCRIPTION));
  for (const subscription of subscriptions.filter(isOpen)) await cancelSubscription(stripe, subscription);
  await reconcile(ctx, stripe, organizationID, auditActor(person));
}

async function listInvoices({ ctx, stripe }: StripeContext, organizationID: string): Promise<Invoice[]> {
  const account = await findAccount(ctx.reader, organizationID);
  return account?.customer_id ? listStripeInvoices(stripe, account.customer_id) : [];
}

interface SignedEvent {
  payload: Buffer;
  signature: string | undefined;
}

async function receiveEvent(
  { ctx, stripe }: StripeContext,
  webhookSecret: string,
  event: SignedEvent,
): Promise<void> {
  let customerID: string | undefined;
  try {
    customerID = customerOfEvent(stripe, webhookSecret, { ...event, now: ctx.clock() });
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
    throw new ApiError("ERR_INVALID_VALUE", { message: "the signature is missing, wrong or too old" });
  }
  // Other products may use the same Stripe account.
  const organizationID = customerID && (await findOrganizationByCustomer(ctx.reader, customerID));
  if (organizationID) await reconcile(ctx, stripe, organizationID);
}

async function reconcileDueAccounts({ ctx, stripe }: StripeContext, isStopped: () => boolean): Promise<void> {
  const claim = () => (isStopped() ? undefined : claimDueAccount(ctx.unaudited, ctx.clock()));
  for (let due = await claim(); due; due = await claim()) await reconcile(ctx, stripe, due);
}

export function createStripeProvider(ctx: Context, config: StripeConfig): BillingProvider {
  const context: StripeContext = {
    ctx,
    stripe: createStripe(config),
    priceID: config.priceID,
    billingURL: `${ctx.config.appURL}/settings/billing`,
  };
  const handleErrors = <T>(work: () => Promise<T>) => handleStripeErrors(ctx, work);
  return {
    kind: "stripe",
    checkout: (person) => handleErrors(() => openCheckout(context, person)),
    confirm: () => Promise.reject(new ApiError("ERR_BILLING_INVALID_STATE")),
    portal: (person) => handleErrors(() => openPortal(context, person)),
    downgrade: (person) => handleErrors(() => downgrade(context, person)),
    invoices: (organizationID) => handleErrors(() => listInvoices(context, organizationID)),
    receive: (payload, signature) =>
      handleErrors(() => receiveEvent(context, config.webhookSecret, { payload, signature })),
    work: (isStopped) => handleErrors(() => reconcileDueAccounts(context, isStopped)),
  };
}
