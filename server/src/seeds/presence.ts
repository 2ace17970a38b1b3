/** Hosts that only exist as rows, made to look as if they were running. */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../infrastructure/db/tables.ts";

const BEAT_MS = 30_000;

/** Those that were seen together with the last of all are online again: time has stood still for them. */
async function wake(db: Kysely<Tables>, organizationID: string): Promise<void> {
  await sql`
    update hosts set is_online = true
    from host_presence presence, (
      select max(last_seen_at) as at from host_presence where organization_id = ${organizationID}
    ) latest
    where presence.host_id = hosts.id and hosts.organization_id = ${organizationID}
      and presence.last_seen_at > latest.at - interval '1 hour'
      and hosts.is_enrolled and not hosts.is_blocked and not hosts.is_online`.execute(db);
}

async function beat(db: Kysely<Tables>, organizationID: string): Promise<void> {
  await sql`
    update host_presence set last_seen_at = now() - random() * interval '20 seconds'
    from hosts
    where hosts.id = host_id and hosts.organization_id = ${organizationID} and hosts.is_online`.execute(db);
}

/** From now until stopped, whoever is online is seen every half minute. */
export async function keepOnline(db: Kysely<Tables>, organizationID: string): Promise<() => Promise<void>> {
  await wake(db, organizationID);
  await beat(db, organizationID);
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // The next beat comes soon enough when the database is away.
    running = beat(db, organizationID).catch(() => undefined);
  }, BEAT_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
