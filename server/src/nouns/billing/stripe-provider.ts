import { Stripe } from "stripe";
import type { StripeConfig } from "../../infrastructure/config/config.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { auditActor, authorOf, type User } from "../../infrastructure/http/actor.ts";
import {
  type Account,
  restartCheckout,
  claimDueAccount,
  findAccount,
  findOrganizationByCustomer,
  saveCustomer,
  saveCheckoutSession,
  findOrCreateAccount,
} from "./accounts.ts";
import { findBilling } from "./billing.queries.ts";
import { ENDED_SUBSCRIPTION, saveSubscription } from "./billing.service.ts";
import type { BillingProvider } from "./provider.ts";
import { reconcile } from "./reconcile.ts";
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
import { HOUR_MS } from "../../infrastructure/time/durations.ts";

/** Stripe keeps an idempotency key for 24 hours. */
const IDEMPOTENCY_KEY_MS = 23 * HOUR_MS;

export function createStripeProvider(ctx: Context, config: StripeConfig): BillingProvider {
  const stripe = createStripe(config);
  const billingURL = `${ctx.config.appURL}/settings/billing`;

  /** Reports a failing provider as ERR_UNAVAILABLE: the caller did nothing wrong. */
  async function handleStripeErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isStripeError(error)) throw error;
      ctx.log.warn({ stripe: describeStripeError(error) }, "Stripe request failed");
      throw new ApiError("ERR_UNAVAILABLE", { message: "the payment provider is not responding" });
    }
  }

  async function findOrCreateCustomer(account: Account, { id, email, organization }: User): Promise<string> {
    if (account.customer_id) return account.customer_id;
    const customer = await stripe.customers.create(
      { email, metadata: { organizationID: organization.id } },
      { idempotencyKey: `customer-${organization.id}-${id}` },
    );
    return saveCustomer(ctx.unaudited, account, customer.id);
  }

  /** The idempotency key makes repeated calls return the same session. */
  async function startCheckout(account: Account, person: User): Promise<string> {
    const organizationID = person.organization.id;
    const session = await stripe.checkout.sessions.create(
      {
        mode: "subscription",
        customer: await findOrCreateCustomer(account, person),
        client_reference_id: organizationID,
        line_items: [{ price: config.priceID, quantity: account.checkout_quantity }],
        subscription_data: { metadata: { organizationID } },
        success_url: `${billingURL}/upgrade-pending`,
        cancel_url: billingURL,
      },
      { idempotencyKey: `checkout-${account.checkout_key}` },
    );
    const expiresAt = new Date(session.expires_at * 1000);
    await saveCheckoutSession(ctx.unaudited, account, { id: session.id, expiresAt });
    if (!session.url) throw new Error("Stripe returned a checkout session without a URL");
    return session.url;
  }

  /** Returns the URL of the current checkout; undefined if it is over. */
  async function findOpenCheckout({ checkout_session_id: sessionID }: Account, organizationID: string) {
    if (!sessionID) return undefined;
    const { status, url } = await stripe.checkout.sessions.retrieve(sessionID);
    if (status === "open" && url) return url;
    if (status !== "complete") return undefined;
    await reconcile(ctx, stripe, organizationID);
    const billing = await findBilling(ctx.reader, organizationID);
    return billing?.plan === "pro" || billing?.status === "pending"
      ? `${billingURL}/upgrade-pending`
      : undefined;
  }

  async function checkout(person: User): Promise<string> {
    const organizationID = person.organization.id;
    const billing = await findBilling(ctx.reader, organizationID);
    if (billing?.plan !== "free") throw new ApiError("ERR_BILLING_INVALID_STATE");
    const now = ctx.clock();
    const attempt = { organizationID, quantity: Math.max(1, billing.hostCount), now };
    const account = await findOrCreateAccount(ctx.unaudited, attempt);
    const openCheckout = await findOpenCheckout(account, organizationID);
    if (openCheckout) return openCheckout;
    const isNew =
      !account.checkout_session_id &&
      now.getTime() - account.checkout_started_at.getTime() < IDEMPOTENCY_KEY_MS;
    return startCheckout(isNew ? account : await restartCheckout(ctx.unaudited, account, attempt), person);
  }

  async function downgrade(person: User): Promise<void> {
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

  async function receive(payload: Buffer, signature: string | undefined): Promise<void> {
    let customerID: string | undefined;
    try {
      customerID = customerOfEvent(stripe, config.webhookSecret, { payload, signature, now: ctx.clock() });
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
      throw new ApiError("ERR_INVALID_VALUE", { message: "the signature is missing, wrong or too old" });
    }
    // Other products may use the same Stripe account.
    const organizationID = customerID && (await findOrganizationByCustomer(ctx.reader, customerID));
    if (organizationID) await reconcile(ctx, stripe, organizationID);
  }

  async function work(isStopped: () => boolean): Promise<void> {
    const claim = () => (isStopped() ? undefined : claimDueAccount(ctx.unaudited, ctx.clock()));
    for (let due = await claim(); due; due = await claim()) await reconcile(ctx, stripe, due);
  }

  return {
    kind: "stripe",
    checkout: (person) => handleStripeErrors(() => checkout(person)),
    confirm: () => Promise.reject(new ApiError("ERR_BILLING_INVALID_STATE")),
    downgrade: (person) => handleStripeErrors(() => downgrade(person)),
    receive: (payload, signature) => handleStripeErrors(() => receive(payload, signature)),
    work: (isStopped) => handleStripeErrors(() => work(isStopped)),
    portal: async ({ organization }) => {
      const account = await findAccount(ctx.reader, organization.id);
      if (!account?.customer_id) throw new ApiError("ERR_BILLING_INVALID_STATE");
      const customer = account.customer_id;
      const create = () => stripe.billingPortal.sessions.create({ customer, return_url: billingURL });
      return (await handleStripeErrors(create)).url;
    },
    invoices: async (organizationID) => {
      const account = await findAccount(ctx.reader, organizationID);
      const customerID = account?.customer_id;
      return customerID ? handleStripeErrors(() => listStripeInvoices(stripe, customerID)) : [];
    },
  };
}
