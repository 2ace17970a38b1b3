/** Limits are kept in the database, so that they hold across processes and restarts. */
import { type Kysely, sql } from "kysely";
import { createHash, randomUUID } from "node:crypto";
import type { Bookkeeper } from "../db/client.ts";
import type { BookkeepingTables } from "../db/tables.ts";
import { ApiError } from "./api-error.ts";

export interface Limit {
  /** What is counted, e.g. "signup:ip". */
  name: string;
  /** For whom: an address, an account. Never anything the client can choose freely. */
  subject: string;
  max: number;
}

const WINDOW_SECONDS = 15 * 60;

type Notes = Kysely<Pick<BookkeepingTables, "rate_limits">>;

/** Subjects are hashed: the table must not be a list of the addresses that were tried. */
export function limitKey({ name, subject }: Pick<Limit, "name" | "subject">): string {
  return `${name}:${createHash("sha256").update(subject).digest("base64url").slice(0, 22)}`;
}

interface Counted {
  key: string;
  accepted: boolean;
  /** The oldest attempt that still counts. */
  oldest: Date;
}

const windowStart = (now: Date) => new Date(now.getTime() - WINDOW_SECONDS * 1000);

/**
 * Counts one attempt for each limit, exactly: never more than `max` in any stretch of 15 minutes. Attempts
 * that are refused do not count, so that a lock ends when what caused it has passed.
 */
export async function consume(db: Bookkeeper, now: Date, limits: Limit[]): Promise<void> {
  if (limits.length === 0) return;
  // One order for everybody, so that two requests never wait for each other in a circle.
  const keyed = limits.map((limit) => ({ key: limitKey(limit), max: limit.max }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  const attempt = randomUUID();
  const { rows } = await sql<Counted>`
    with asked as (
      select * from unnest(${keyed.map(({ key }) => key)}::text[], ${keyed.map(({ max }) => max)}::integer[])
        as asked (key, max)
    )
    insert into rate_limits as held (key, hits, latest)
    select key, array[${now}::timestamptz], ${attempt} from asked
    on conflict (key) do update set (hits, latest) = (
      select
        case when count(hit) < max then array_append(array_agg(hit order by hit) filter (where hit is not null), ${now}::timestamptz)
          else array_agg(hit order by hit) end,
        case when count(hit) < max then ${attempt} else held.latest end
      from asked left join unnest(held.hits) hit on hit > ${windowStart(now)}
      where asked.key = held.key
      group by max
    )
    returning key, latest = ${attempt} as accepted, hits[1] as oldest`.execute(db);
  const refused = rows.filter(({ accepted }) => !accepted);
  if (refused.length === 0) return;
  const ends = Math.max(...refused.map(({ oldest }) => oldest.getTime() + WINDOW_SECONDS * 1000));
  const retryAfterSeconds = Math.max(1, Math.ceil((ends - now.getTime()) / 1000));
  throw new ApiError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds });
}

/** Takes back the newest attempt: it turned out not to be one that counts. */
export async function giveBack(db: Pick<Notes, "updateTable">, limit: Limit): Promise<void> {
  await db
    .updateTable("rate_limits")
    .set({ hits: sql<Date[]>`trim_array(hits, least(cardinality(hits), 1))` })
    .where("key", "=", limitKey(limit))
    .execute();
}

export async function forgetOldLimits(db: Bookkeeper, now: Date): Promise<void> {
  await sql`delete from rate_limits where not (${windowStart(now)} < any(hits))`.execute(db);
}
