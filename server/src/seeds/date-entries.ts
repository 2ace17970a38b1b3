/** Dates audit entries that were stored while a simulated clock was running; entries get their time from the database. */
import { sql } from "kysely";
import type { Context } from "../infrastructure/context/context.ts";

/** When the simulated clock was set, by the real one. */
export interface TimeJump {
  realMs: number;
  simulatedMs: number;
}

/** Only entries that aren't in the hash chain yet can be dated. */
export async function dateEntries(ctx: Context, jumps: readonly TimeJump[]): Promise<void> {
  await sql`
    with jumps as (
      select to_timestamp(real / 1000) as since, to_timestamp(simulated / 1000) as at,
          lead(to_timestamp(real / 1000), 1, 'infinity') over (order by number) as until
        from unnest(
          ${jumps.map(({ realMs }) => realMs)}::float8[],
          ${jumps.map(({ simulatedMs }) => simulatedMs)}::float8[]
        ) with ordinality jump (real, simulated, number)
    )
    update audit_logs set created_at = jumps.at + (created_at - jumps.since)
      from jumps
      where sequence is null and created_at >= jumps.since and created_at < jumps.until`.execute(
    ctx.unaudited,
  );
}
