import { type Kysely, sql } from "kysely";

/** With the columns that the count of expiring certificates needs, so that it doesn't read the hosts themselves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index hosts_expiring`.execute(db);
  await sql`
    create index hosts_expiring on hosts (organization_id, certificate_expires_at)
      include (network_id, is_blocked, is_lighthouse, is_relay, has_endpoint_user)
      where certificate_expires_at is not null`.execute(db);
}
