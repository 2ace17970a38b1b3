/**
 * Synchronizes an organization with Stripe: reports the host count and stores the plan that is paid for. Reads the
 * current state instead of trusting events, so lost, repeated or reordered events do no harm.
 */
import type { AuditActor } from "@lightkeeper/contract";
import type { Stripe } from "stripe";
import type { Context } from "../../infrastructure/context/context.ts";
import { type Account, findAccount } from "./accounts.ts";
import { findBilling, type BillingRow } from "./billing.queries.ts";
import {
  ENDED_SUBSCRIPTION,
  isSameSubscription,
  saveSubscription,
  type PlanSubscription,
} from "./billing.service.ts";
import {
  cancelSubscription,
  chooseSubscription,
  isOpen,
  listSubscriptions,
  toPlanSubscription,
  updateQuantity,
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
    if (!stored) return cancelBilling(ctx, stripe, account, subscriptions);
    const subscription = chooseSubscription(subscriptions);
    const quantity = await updateQuantity(stripe, subscription, stored.hostCount);
    const paid = subscription ? toPlanSubscription(subscription) : stored.status && ENDED_SUBSCRIPTION;
    if (await saveSyncedState(ctx, { account, stored, paid, quantity, actor })) return;
  }
}

interface SyncedState {
  account: Account;
  stored: BillingRow;
  paid: PlanSubscription | null;
  quantity: number | null;
  actor: AuditActor;
}

class ConcurrentUpdateError extends Error {}

/** Returns false if another process has written since: its data may be newer than what was read here. */
async function saveSyncedState(
  ctx: Context,
  { account, stored, paid, quantity, actor }: SyncedState,
): Promise<boolean> {
  const { organization_id: organizationID, version, checkout_expires_at: expiresAt } = account;
  const now = ctx.clock();
  const isCheckoutOver = paid?.plan === "pro" || (expiresAt !== null && expiresAt <= now);
  const columns = {
    quantity,
    version: version + 1,
    synced_at: now,
    ...(isCheckoutOver && { checkout_expires_at: null }),
  };
  if (!paid || isSameSubscription(stored, paid)) {
    const { numUpdatedRows } = await ctx.unaudited
      .updateTable("billing_accounts")
      .set(columns)
      .where("organization_id", "=", organizationID)
      .where("version", "=", version)
      .executeTakeFirst();
    return numUpdatedRows > 0;
  }
  try {
    await ctx.audited(async (tx) => {
      const outcome = await saveSubscription(tx, { organizationID, actor }, paid);
      const { numUpdatedRows } = await tx
        .updateTable("billing_accounts")
        .set(columns)
        .where("organization_id", "=", organizationID)
        .where("version", "=", version)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new ConcurrentUpdateError();
      return outcome;
    });
    return true;
  } catch (error) {
    if (error instanceof ConcurrentUpdateError) return false;
    throw error;
  }
}

/** The organization is deleted: cancel everything that could still be charged. */
async function cancelBilling(
  ctx: Context,
  stripe: Stripe,
  { organization_id, checkout_session_id }: Account,
  subscriptions: Stripe.Subscription[],
): Promise<void> {
  if (checkout_session_id) {
    const { status } = await stripe.checkout.sessions.retrieve(checkout_session_id);
    // Expiring fails if the session is being paid at this moment; the next run tries again.
    if (status === "open") await stripe.checkout.sessions.expire(checkout_session_id);
  }
  for (const subscription of subscriptions.filter(isOpen)) await cancelSubscription(stripe, subscription);
  await ctx.unaudited.deleteFrom("billing_accounts").where("organization_id", "=", organization_id).execute();
}
