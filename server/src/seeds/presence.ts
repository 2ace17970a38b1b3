/** Simulates the presence of seeded hosts, which have no agents. */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../infrastructure/db/tables.ts";

const HEARTBEAT_MS = 30_000;

/** Hosts seen within an hour of the latest one are online again after a restart. */
async function restoreOnline(db: Kysely<Tables>, organizationID: string): Promise<void> {
  await sql`
    update hosts set is_online = true
    from host_presence presence, (
      select max(last_seen_at) as at from host_presence where organization_id = ${organizationID}
    ) latest
    where presence.host_id = hosts.id and hosts.organization_id = ${organizationID}
      and presence.last_seen_at > latest.at - interval '1 hour'
      and hosts.is_enrolled and not hosts.is_blocked and not hosts.is_online`.execute(db);
}

async function sendHeartbeats(db: Kysely<Tables>, organizationID: string): Promise<void> {
  await sql`
    update host_presence set last_seen_at = now() - random() * interval '20 seconds'
    from hosts
    where hosts.id = host_id and hosts.organization_id = ${organizationID} and hosts.is_online`.execute(db);
}

/** Updates online hosts every 30 seconds until stopped. */
export async function keepOnline(db: Kysely<Tables>, organizationID: string): Promise<() => Promise<void>> {
  await restoreOnline(db, organizationID);
  await sendHeartbeats(db, organizationID);
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // If the database is unavailable, the next heartbeat is soon enough.
    running = sendHeartbeats(db, organizationID).catch(() => undefined);
  }, HEARTBEAT_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
