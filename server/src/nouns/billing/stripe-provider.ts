import { Stripe } from "stripe";
import type { StripeConfig } from "../../infrastructure/config/config.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { auditActor, authorOf, type User } from "../../infrastructure/http/credentials.ts";
import {
  type Account,
  beginAnew,
  claimDueAccount,
  findAccount,
  findOrganizationOf,
  noteCustomer,
  noteSession,
  openAccount,
} from "./accounts.ts";
import { findBilling } from "./billing.queries.ts";
import { ENDED, settle } from "./billing.service.ts";
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

/** Stripe remembers a key for a day. */
const KEY_MS = 23 * 3_600_000;

export function createStripeProvider(ctx: Context, config: StripeConfig): BillingProvider {
  const stripe = createStripe(config);
  const billingURL = `${ctx.config.appURL}/settings/billing`;

  /** A provider that does not answer, or not as it should, is our trouble and not the caller's. */
  async function asking<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isStripeError(error)) throw error;
      ctx.log.warn({ stripe: describeStripeError(error) }, "Stripe did not do as it was asked");
      throw new ApiError("ERR_UNAVAILABLE", { message: "the payment provider does not answer" });
    }
  }

  async function customerOf(account: Account, { id, email, organization }: User): Promise<string> {
    if (account.customer_id) return account.customer_id;
    const customer = await stripe.customers.create(
      { email, metadata: { organizationID: organization.id } },
      { idempotencyKey: `customer-${organization.id}-${id}` },
    );
    return noteCustomer(ctx.bookkeeper, account, customer.id);
  }

  /** However often it is asked for with the same account, it is one session. */
  async function begin(account: Account, person: User): Promise<string> {
    const organizationID = person.organization.id;
    const session = await stripe.checkout.sessions.create(
      {
        mode: "subscription",
        customer: await customerOf(account, person),
        client_reference_id: organizationID,
        line_items: [{ price: config.priceID, quantity: account.checkout_quantity }],
        subscription_data: { metadata: { organizationID } },
        success_url: `${billingURL}/upgrade-pending`,
        cancel_url: billingURL,
      },
      { idempotencyKey: `checkout-${account.checkout_key}` },
    );
    const expiresAt = new Date(session.expires_at * 1000);
    await noteSession(ctx.bookkeeper, account, { id: session.id, expiresAt });
    if (!session.url) throw new Error("A checkout session without an address");
    return session.url;
  }

  /** Where a checkout that has begun is gone on with; undefined where it is over. */
  async function goOn({ checkout_session_id: sessionID }: Account, organizationID: string) {
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
    const account = await openAccount(ctx.bookkeeper, attempt);
    const begun = await goOn(account, organizationID);
    if (begun) return begun;
    const isNew =
      !account.checkout_session_id && now.getTime() - account.checkout_started_at.getTime() < KEY_MS;
    return begin(isNew ? account : await beginAnew(ctx.bookkeeper, account, attempt), person);
  }

  async function downgrade(person: User): Promise<void> {
    const organizationID = person.organization.id;
    const billing = await findBilling(ctx.reader, organizationID);
    if (billing?.plan !== "pro") throw new ApiError("ERR_BILLING_INVALID_STATE");
    const account = await findAccount(ctx.reader, organizationID);
    const subscriptions = account?.customer_id ? await listSubscriptions(stripe, account.customer_id) : [];
    // Somebody gave it to them.
    if (subscriptions.length === 0) return ctx.audited((tx) => settle(tx, authorOf(person), ENDED));
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
    // Others may sell by the same account.
    const organizationID = customerID && (await findOrganizationOf(ctx.reader, customerID));
    if (organizationID) await reconcile(ctx, stripe, organizationID);
  }

  async function work(isStopped: () => boolean): Promise<void> {
    const claim = () => (isStopped() ? undefined : claimDueAccount(ctx.bookkeeper, ctx.clock()));
    for (let due = await claim(); due; due = await claim()) await reconcile(ctx, stripe, due);
  }

  return {
    kind: "stripe",
    checkout: (person) => asking(() => checkout(person)),
    confirm: () => Promise.reject(new ApiError("ERR_BILLING_INVALID_STATE")),
    downgrade: (person) => asking(() => downgrade(person)),
    receive: (payload, signature) => asking(() => receive(payload, signature)),
    work: (isStopped) => asking(() => work(isStopped)),
    portal: async ({ organization }) => {
      const account = await findAccount(ctx.reader, organization.id);
      if (!account?.customer_id) throw new ApiError("ERR_BILLING_INVALID_STATE");
      const customer = account.customer_id;
      const create = () => stripe.billingPortal.sessions.create({ customer, return_url: billingURL });
      return (await asking(create)).url;
    },
    invoices: async (organizationID) => {
      const account = await findAccount(ctx.reader, organizationID);
      const customerID = account?.customer_id;
      return customerID ? asking(() => listStripeInvoices(stripe, customerID)) : [];
    },
  };
}
