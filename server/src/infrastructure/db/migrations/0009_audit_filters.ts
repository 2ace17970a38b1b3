import { type Kysely, sql } from "kysely";

/** Where actors called from, and an index to walk for each of the filters, newest first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table audit_logs add column actor_address text`.execute(db);
  await sql`alter table jobs add column actor_address text`.execute(db);
  // An id is of one kind: the kind need not stand before it, and is no longer needed to find it.
  await sql`drop index audit_logs_target`.execute(db);
  const places = {
    audit_logs_target: sql`target_id`,
    audit_logs_target_type: sql`target_type`,
    audit_logs_event_type: sql`event_type`,
    audit_logs_actor_name: sql`lower(coalesce(actor ->> 'email', actor ->> 'type'))`,
    audit_logs_actor_id: sql`(actor ->> 'id')`,
  };
  for (const [name, place] of Object.entries(places))
    await sql`
      create index ${sql.ref(name)} on audit_logs (organization_id, ${place}, created_at, id)`.execute(db);
}
