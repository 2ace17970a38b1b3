import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table subscriptions (
      organization_id text primary key references organizations on delete cascade,
      status text not null check (status in ('active', 'pending', 'pastDue', 'canceled')),
      current_period_end timestamptz,
      payment_method jsonb
    )`.execute(db);
  // No reference to the organization: whatever could still be paid for it is called off after it is gone.
  await sql`
    create table billing_accounts (
      organization_id text primary key,
      customer_id text unique,
      checkout_key text not null,
      checkout_quantity integer not null,
      checkout_started_at timestamptz not null,
      checkout_session_id text,
      checkout_expires_at timestamptz,
      quantity integer,
      version integer not null,
      synced_at timestamptz not null
    )`.execute(db);
  await sql`create index billing_accounts_synced on billing_accounts (synced_at)`.execute(db);
}
