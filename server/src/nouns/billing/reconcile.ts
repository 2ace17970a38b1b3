/**
 * Brings both sides together: Stripe hears how many hosts there are, the organization gets the plan that Stripe says
 * is paid for. Asking instead of believing events makes their order, their number and their loss matter not at all.
 */
import type { AuditActor } from "@lightkeeper/contract";
import type { Stripe } from "stripe";
import type { Context } from "../../infrastructure/context/context.ts";
import { type Account, findAccount } from "./accounts.ts";
import { findBilling, type BillingRow } from "./billing.queries.ts";
import { ENDED, isSameStanding, settle, type Standing } from "./billing.service.ts";
import {
  cancelSubscription,
  chooseSubscription,
  isOpen,
  listSubscriptions,
  standingOf,
  tellQuantity,
} from "./stripe-client.ts";

const ATTEMPTS_MAX = 5;

export async function reconcile(
  ctx: Context,
  stripe: Stripe,
  organizationID: string,
  actor: AuditActor = { type: "system" },
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const account = await findAccount(ctx.reader, organizationID);
    if (!account?.customer_id) return;
    const stored = await findBilling(ctx.reader, organizationID);
    const subscriptions = await listSubscriptions(stripe, account.customer_id);
    if (!stored) return callOff(ctx, stripe, account, subscriptions);
    const subscription = chooseSubscription(subscriptions);
    const quantity = await tellQuantity(stripe, subscription, stored.hostCount);
    const standing = subscription ? standingOf(subscription) : stored.status && ENDED;
    if (await write(ctx, { account, stored, standing, quantity, actor })) return;
  }
}

interface Found {
  account: Account;
  stored: BillingRow;
  standing: Standing | null;
  quantity: number | null;
  actor: AuditActor;
}

class Overtaken extends Error {}

/** False where somebody has written since: what was asked before may be older than what they wrote. */
async function write(ctx: Context, { account, stored, standing, quantity, actor }: Found): Promise<boolean> {
  const { organization_id: organizationID, version, checkout_expires_at: expiresAt } = account;
  const now = ctx.clock();
  const isCheckoutOver = standing?.plan === "pro" || (expiresAt !== null && expiresAt <= now);
  const notes = {
    quantity,
    version: version + 1,
    synced_at: now,
    ...(isCheckoutOver && { checkout_expires_at: null }),
  };
  if (!standing || isSameStanding(stored, standing)) {
    const { numUpdatedRows } = await ctx.bookkeeper
      .updateTable("billing_accounts")
      .set(notes)
      .where("organization_id", "=", organizationID)
      .where("version", "=", version)
      .executeTakeFirst();
    return numUpdatedRows > 0;
  }
  try {
    await ctx.audited(async (tx) => {
      const outcome = await settle(tx, { organizationID, actor }, standing);
      const { numUpdatedRows } = await tx
        .updateTable("billing_accounts")
        .set(notes)
        .where("organization_id", "=", organizationID)
        .where("version", "=", version)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new Overtaken();
      return outcome;
    });
    return true;
  } catch (error) {
    if (error instanceof Overtaken) return false;
    throw error;
  }
}

/** The organization is gone: nobody shall pay for it. */
async function callOff(
  ctx: Context,
  stripe: Stripe,
  { organization_id, checkout_session_id }: Account,
  subscriptions: Stripe.Subscription[],
): Promise<void> {
  if (checkout_session_id) {
    const { status } = await stripe.checkout.sessions.retrieve(checkout_session_id);
    // One that is paid at this very moment cannot be expired: then this is tried again.
    if (status === "open") await stripe.checkout.sessions.expire(checkout_session_id);
  }
  for (const subscription of subscriptions.filter(isOpen)) await cancelSubscription(stripe, subscription);
  await ctx.bookkeeper
    .deleteFrom("billing_accounts")
    .where("organization_id", "=", organization_id)
    .execute();
}
