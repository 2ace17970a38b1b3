/** Limits are stored in the database, so that they apply across processes and restarts. */
import { type Kysely, type QueryExecutorProvider, sql } from "kysely";
import { createHash, randomUUID } from "node:crypto";
import { isIPv6 } from "node:net";
import type { Config } from "../config/config.ts";
import type { UnauditedWriter } from "../db/client.ts";
import type { UnauditedTables } from "../db/tables.ts";
import { ApiError } from "../errors/api-error.ts";

export interface Limit {
  /** For example "signup:ip". */
  name: string;
  /** An address or an account; never a value that the client can choose freely. */
  subject: string;
  max: number;
  /** How long an attempt counts; 15 minutes unless stated. */
  windowSeconds?: number;
}

const WINDOW_SECONDS = 15 * 60;
/** Attempts by IP address in 15 minutes. */
const IP_ATTEMPTS_MAX = 30;
/** Developers and tests share one address. */
const LOCAL_FACTOR = 100;
/** Multiplies every limit by IP address. */
export const ipLimitFactor = ({ appEnv }: Pick<Config, "appEnv">): number =>
  appEnv === "local" ? LOCAL_FACTOR : 1;
/** Later attempts were recorded before the clock was set back. */
const CLOCK_SKEW_SECONDS_MAX = 60;

/** The first half of an IPv6 address: its owner controls the other half. */
function ipv6Prefix(address: string): string {
  const [head = "", tail] = address.split("%", 1)[0]!.split("::");
  const groupsOf = (part: string) => (part ? part.split(":") : []);
  const [first, last] = [groupsOf(head), groupsOf(tail ?? "")];
  const missing = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array<string>(Math.max(0, missing)).fill("0"), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}

/** What an IP address counts as: itself, or for IPv6 its /64. */
export function addressSubject(ip: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip) ?? [];
  if (mapped) return mapped;
  return isIPv6(ip) ? ipv6Prefix(ip) : ip;
}

export function limitByIP(
  config: Pick<Config, "appEnv">,
  name: string,
  ip: string,
  max = IP_ATTEMPTS_MAX,
): Limit {
  return { name: `${name}:ip`, subject: addressSubject(ip), max: max * ipLimitFactor(config) };
}

type RateLimitTables = Kysely<Pick<UnauditedTables, "rate_limits">>;
type Counts = QueryExecutorProvider & Pick<RateLimitTables, "updateTable">;

/** Hashes the subject, so that the table does not reveal which addresses were tried. */
export function limitKey({ name, subject }: Pick<Limit, "name" | "subject">): string {
  return `${name}:${createHash("sha256").update(subject).digest("base64url").slice(0, 22)}`;
}

interface CountedAttempt {
  key: string;
  accepted: boolean;
  /** The oldest attempt that still counts. */
  oldest: Date;
  window_seconds: number;
}

/**
 * Counts attempts for each limit, exactly: never more than `max` in any window. Either all of them are accepted or
 * none. Rejected attempts don't count for any of the limits, so a lock ends when the attempts that caused it have
 * expired.
 */
export async function consume(db: Counts, now: Date, limits: Limit[], attempts = 1): Promise<void> {
  const retryAfterSeconds = await countAttempts(db, now, limits, attempts);
  if (retryAfterSeconds !== undefined) throw new ApiError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds });
}

/** Returns the seconds until the next attempt if this one is rejected. */
export async function countAttempts(
  db: Counts,
  now: Date,
  limits: Limit[],
  attempts = 1,
): Promise<number | undefined> {
  if (limits.length === 0) return undefined;
  if (limits.some(({ max }) => attempts > max)) return 1;
  // A fixed order keeps two requests from deadlocking.
  const keyed = limits.map((limit) => ({ ...limit, key: limitKey(limit) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  const attempt = randomUUID();
  const added = sql`array_fill(${now}::timestamptz, array[${attempts}::integer])`;
  const { rows } = await sql<CountedAttempt>`
    with requested as (
      select * from unnest(${keyed.map(({ key }) => key)}::text[], ${keyed.map(({ max }) => max)}::integer[],
        ${keyed.map(({ windowSeconds = WINDOW_SECONDS }) => windowSeconds)}::integer[])
        as requested (key, max, window_seconds)
    )
    insert into rate_limits as stored (key, hits, latest, window_seconds)
    select key, ${added}, ${attempt}, window_seconds from requested
    on conflict (key) do update set window_seconds = excluded.window_seconds, (hits, latest) = (
      select
        case when count(hit) + ${attempts} <= max then array_cat(array_agg(hit order by hit) filter (where hit is not null), ${added})
          else array_agg(hit order by hit) end,
        case when count(hit) + ${attempts} <= max then ${attempt} else stored.latest end
      from requested left join unnest(stored.hits) hit
        on hit > ${now}::timestamptz - make_interval(secs => requested.window_seconds)
        and hit < ${now}::timestamptz + make_interval(secs => ${CLOCK_SKEW_SECONDS_MAX})
      where requested.key = stored.key
      group by max
    )
    returning key, latest = ${attempt} as accepted, hits[1] as oldest, window_seconds`.execute(db);
  const rejected = rows.filter(({ accepted }) => !accepted);
  if (rejected.length === 0) return undefined;
  const accepted = rows.filter((row) => row.accepted).map(({ key }) => key);
  await removeNewest(db, accepted, attempts);
  const endsAt = Math.max(
    ...rejected.map(({ oldest, window_seconds }) => oldest.getTime() + window_seconds * 1000),
  );
  return Math.max(1, Math.ceil((endsAt - now.getTime()) / 1000));
}

/** Removes the newest attempt of each limit, for example after a correct code. */
export async function refundAttempt(
  db: Pick<RateLimitTables, "updateTable">,
  ...limits: Limit[]
): Promise<void> {
  await removeNewest(db, limits.map(limitKey), 1);
}

/** Like `refundAttempt`, for several attempts of one limit. */
export async function refundAttempts(
  db: Pick<RateLimitTables, "updateTable">,
  limit: Limit,
  attempts: number,
): Promise<void> {
  await removeNewest(db, [limitKey(limit)], attempts);
}

async function removeNewest(
  db: Pick<RateLimitTables, "updateTable">,
  keys: string[],
  attempts: number,
): Promise<void> {
  for (const key of keys.sort())
    await db
      .updateTable("rate_limits")
      .set({ hits: sql<Date[]>`trim_array(hits, least(cardinality(hits), ${attempts}::integer))` })
      .where("key", "=", key)
      .execute();
}

/** Deletes every counted attempt of these limits. */
export async function resetLimits(
  db: Pick<RateLimitTables, "deleteFrom">,
  limits: Pick<Limit, "name" | "subject">[],
): Promise<void> {
  await db.deleteFrom("rate_limits").where("key", "in", limits.map(limitKey)).execute();
}

/** Returns the limits that allow no further attempt, and until when. */
export async function listReachedLimits<L extends Limit>(
  db: Pick<RateLimitTables, "selectFrom">,
  now: Date,
  limits: L[],
): Promise<{ limit: L; until: Date }[]> {
  const rows = await db
    .selectFrom("rate_limits")
    .select(["key", "hits"])
    .where("key", "in", limits.map(limitKey))
    .execute();
  return limits.flatMap((limit) => {
    const windowMs = (limit.windowSeconds ?? WINDOW_SECONDS) * 1000;
    const hits = rows.find(({ key }) => key === limitKey(limit))?.hits ?? [];
    const counted = hits.filter((hit) => hit.getTime() > now.getTime() - windowMs);
    const [oldest] = counted;
    return oldest && counted.length >= limit.max
      ? [{ limit, until: new Date(oldest.getTime() + windowMs) }]
      : [];
  });
}

export async function deleteExpiredLimits(db: UnauditedWriter, now: Date): Promise<void> {
  await sql`
    delete from rate_limits
    where not (${now}::timestamptz - make_interval(secs => window_seconds) < any(hits))`.execute(db);
}
