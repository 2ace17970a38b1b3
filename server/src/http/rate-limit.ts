/** Limits are kept in the database, so that they hold across processes and restarts. */
import { sql } from "kysely";
import { createHash } from "node:crypto";
import type { Bookkeeper } from "../db/client.ts";
import { ApiError } from "./api-error.ts";

export interface Limit {
  /** What is counted, e.g. "signup:ip". */
  name: string;
  /** For whom: an address, an account. Never anything the client can choose freely. */
  subject: string;
  max: number;
}

const WINDOW_SECONDS = 15 * 60;

/** Subjects are hashed: the table must not be a list of the addresses that were tried. */
export function limitKey({ name, subject }: Pick<Limit, "name" | "subject">): string {
  return `${name}:${createHash("sha256").update(subject).digest("base64url").slice(0, 22)}`;
}

export async function consume(db: Bookkeeper, now: Date, limits: Limit[]): Promise<void> {
  if (limits.length === 0) return;
  const byKey = new Map(limits.map((limit) => [limitKey(limit), limit]));
  // One order for everybody, so that two requests never wait for each other in a circle.
  const rows = [...byKey.keys()].sort().map((key) => ({ key, window_started_at: now, count: 1 }));
  const oldest = new Date(now.getTime() - WINDOW_SECONDS * 1000);
  const counted = await db
    .insertInto("rate_limits")
    .values(rows)
    .onConflict((conflict) =>
      conflict.column("key").doUpdateSet({
        count: sql<number>`case when rate_limits.window_started_at <= ${oldest} then 1 else rate_limits.count + 1 end`,
        // A count that was given back whole leaves no window behind: the next one begins with the next attempt.
        window_started_at: sql<Date>`case when rate_limits.window_started_at <= ${oldest} or rate_limits.count = 0
          then ${now} else rate_limits.window_started_at end`,
      }),
    )
    .returning(["key", "count", "window_started_at"])
    .execute();
  const over = counted.filter(({ key, count }) => count > (byKey.get(key)?.max ?? 0));
  if (over.length === 0) return;
  const ends = Math.max(...over.map((row) => row.window_started_at.getTime() + WINDOW_SECONDS * 1000));
  const retryAfterSeconds = Math.max(1, Math.ceil((ends - now.getTime()) / 1000));
  throw new ApiError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds });
}

export async function forgetOldLimits(db: Bookkeeper, now: Date): Promise<void> {
  const oldest = new Date(now.getTime() - WINDOW_SECONDS * 1000);
  await db.deleteFrom("rate_limits").where("window_started_at", "<=", oldest).execute();
}
