/** What is stored about an organization's account at the payment provider. */
import { randomUUID } from "node:crypto";
import { type Selectable, sql } from "kysely";
import { CLOCK_SKEW_MS_MAX } from "../../infrastructure/time/clock.ts";
import type { UnauditedWriter, Reader } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { DAY_MS, MINUTE_MS } from "../../infrastructure/time/durations.ts";

export type Account = Selectable<Tables["billing_accounts"]>;

export const findAccount = (db: Reader, organizationID: string): Promise<Account | undefined> =>
  db
    .selectFrom("billing_accounts")
    .selectAll()
    .where("organization_id", "=", organizationID)
    .executeTakeFirst();

export async function findOrganizationByCustomer(
  db: Reader,
  customerID: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("billing_accounts")
    .select("organization_id")
    .where("customer_id", "=", customerID)
    .executeTakeFirst();
  return row?.organization_id;
}

interface CheckoutAttempt {
  organizationID: string;
  quantity: number;
  now: Date;
}

const checkoutColumns = ({ quantity, now }: CheckoutAttempt) => ({
  checkout_key: randomUUID(),
  checkout_quantity: quantity,
  checkout_started_at: now,
  checkout_session_id: null,
  checkout_expires_at: null,
});

/** Concurrent calls get the same account. */
export async function findOrCreateAccount(db: UnauditedWriter, attempt: CheckoutAttempt): Promise<Account> {
  const { organizationID, now } = attempt;
  await db
    .insertInto("billing_accounts")
    .values({ organization_id: organizationID, ...checkoutColumns(attempt), version: 0, synced_at: now })
    .onConflict((conflict) => conflict.column("organization_id").doNothing())
    .execute();
  return db
    .selectFrom("billing_accounts")
    .selectAll()
    .where("organization_id", "=", organizationID)
    .executeTakeFirstOrThrow();
}

/** Starts another checkout attempt, unless a concurrent request has just started one. */
export async function restartCheckout(
  db: UnauditedWriter,
  previous: Account,
  attempt: CheckoutAttempt,
): Promise<Account> {
  await db
    .updateTable("billing_accounts")
    .set(checkoutColumns(attempt))
    .where("organization_id", "=", previous.organization_id)
    .where("checkout_key", "=", previous.checkout_key)
    .execute();
  return findOrCreateAccount(db, attempt);
}

/** Returns the stored customer: the first one created for an organization stays. */
export async function saveCustomer(
  db: UnauditedWriter,
  account: Account,
  customerID: string,
): Promise<string> {
  const { customer_id } = await db
    .updateTable("billing_accounts")
    .set((eb) => ({ customer_id: eb.fn.coalesce("customer_id", eb.val(customerID)) }))
    .where("organization_id", "=", account.organization_id)
    .returning("customer_id")
    .executeTakeFirstOrThrow();
  return customer_id ?? customerID;
}

export async function saveCheckoutSession(
  db: UnauditedWriter,
  { organization_id, checkout_key }: Account,
  session: { id: string; expiresAt: Date },
): Promise<void> {
  await db
    .updateTable("billing_accounts")
    .set({ checkout_session_id: session.id, checkout_expires_at: session.expiresAt })
    .where("organization_id", "=", organization_id)
    .where("checkout_key", "=", checkout_key)
    .execute();
}

const RETRY_MS = 10_000;
const LOST_EVENT_MS = MINUTE_MS;

/**
 * Claims an account for a while if its host count differs from the one at the provider, its organization is deleted,
 * its checkout event may have been lost, or it was last synchronized a day ago.
 */
export async function claimDueAccount(db: UnauditedWriter, now: Date): Promise<string | undefined> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const { rows } = await sql<{ organization_id: string }>`
    update billing_accounts set synced_at = ${now} where organization_id = (
      select account.organization_id from billing_accounts account
        left join organizations on organizations.id = account.organization_id
        where account.customer_id is not null and not account.synced_at between ${before(RETRY_MS)} and ${before(-CLOCK_SKEW_MS_MAX)} and (
          organizations.id is null
          or account.checkout_expires_at is not null and account.synced_at <= ${before(LOST_EVENT_MS)}
          or account.quantity is not null and account.synced_at <= ${before(DAY_MS)}
          or account.quantity <> (select coalesce(sum(host_count), 0) from networks
            where networks.organization_id = account.organization_id))
        order by account.synced_at limit 1 for update of account skip locked)
    returning organization_id`.execute(db);
  return rows[0]?.organization_id;
}
