/** The checkout at Stripe by which an organization upgrades to the Pro plan. */
import type { Stripe } from "stripe";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { User } from "../../infrastructure/http/actor.ts";
import { HOUR_MS } from "../../infrastructure/time/durations.ts";
import {
  type Account,
  findOrCreateAccount,
  restartCheckout,
  saveCheckoutSession,
  saveCustomer,
} from "./accounts.ts";
import { findBilling } from "./billing.queries.ts";
import { reconcile } from "./reconcile.ts";

export interface StripeContext {
  ctx: Context;
  stripe: Stripe;
  priceID: string;
  /** The page to which Stripe redirects. */
  billingURL: string;
}

/** Stripe keeps an idempotency key for 24 hours. */
const IDEMPOTENCY_KEY_MS = 23 * HOUR_MS;

const pendingURLOf = ({ billingURL }: StripeContext) => `${billingURL}/upgrade-pending`;

/** Returns the URL of the open checkout, or of a new one. */
export async function openCheckout(context: StripeContext, person: User): Promise<string> {
  const { ctx } = context;
  const organizationID = person.organization.id;
  const billing = await findBilling(ctx.reader, organizationID);
  if (billing?.plan !== "free") throw new ApiError("ERR_BILLING_INVALID_STATE");
  const now = ctx.clock();
  const attempt = { organizationID, quantity: Math.max(1, billing.hostCount), now };
  const account = await findOrCreateAccount(ctx.unaudited, attempt);
  const currentURL = await findCurrentCheckout(context, account, organizationID);
  if (currentURL) return currentURL;
  const isNew =
    !account.checkout_session_id &&
    now.getTime() - account.checkout_started_at.getTime() < IDEMPOTENCY_KEY_MS;
  const newAccount = isNew ? account : await restartCheckout(ctx.unaudited, account, attempt);
  return startCheckout(context, newAccount, person);
}

/** Returns the URL of the current checkout; undefined if it is over. */
async function findCurrentCheckout(
  context: StripeContext,
  { checkout_session_id: sessionID }: Account,
  organizationID: string,
): Promise<string | undefined> {
  const { ctx, stripe } = context;
  if (!sessionID) return undefined;
  const { status, url } = await stripe.checkout.sessions.retrieve(sessionID);
  if (status === "open" && url) return url;
  if (status !== "complete") return undefined;
  await reconcile(ctx, stripe, organizationID);
  const billing = await findBilling(ctx.reader, organizationID);
  return billing?.plan === "pro" || billing?.status === "pending" ? pendingURLOf(context) : undefined;
}

/** The idempotency key makes repeated calls return the same session. */
async function startCheckout(context: StripeContext, account: Account, person: User): Promise<string> {
  const { ctx, stripe, priceID, billingURL } = context;
  const organizationID = person.organization.id;
  const session = await stripe.checkout.sessions.create(
    {
      mode: "subscription",
      customer: await findOrCreateCustomer(context, account, person),
      client_reference_id: organizationID,
      line_items: [{ price: priceID, quantity: account.checkout_quantity }],
      subscription_data: { metadata: { organizationID } },
      success_url: pendingURLOf(context),
      cancel_url: billingURL,
    },
    { idempotencyKey: `checkout-${account.checkout_key}` },
  );
  const expiresAt = new Date(session.expires_at * 1000);
  await saveCheckoutSession(ctx.unaudited, account, { id: session.id, expiresAt });
  if (!session.url) throw new Error("Stripe returned a checkout session without a URL");
  return session.url;
}

async function findOrCreateCustomer(
  { ctx, stripe }: StripeContext,
  account: Account,
  { id, email, organization }: User,
): Promise<string> {
  if (account.customer_id) return account.customer_id;
  const customer = await stripe.customers.create(
    { email, metadata: { organizationID: organization.id } },
    { idempotencyKey: `customer-${organization.id}-${id}` },
  );
  return saveCustomer(ctx.unaudited, account, customer.id);
}
