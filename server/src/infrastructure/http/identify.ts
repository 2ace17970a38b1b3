import type { Endpoint } from "@lightkeeper/contract";
import type { Context } from "../context/context.ts";
import { ApiError } from "../errors/api-error.ts";
import { HOUR_MS, MINUTE_MS } from "../time/durations.ts";
import { type Actor, authorize, type Presented } from "./credentials.ts";
import { findActor } from "./find-actor.ts";

const SESSION_TOUCH_MS = HOUR_MS;
const KEY_TOUCH_MS = MINUTE_MS;

/** Authenticates and authorizes the actor; public endpoints have none. */
export async function identify(
  ctx: Context,
  endpoint: Endpoint,
  presented: Presented | undefined,
  now: Date,
): Promise<Actor | undefined> {
  const { access } = endpoint;
  if (access.kind === "public" || access.kind === "agent" || access.kind === "presentedTokens")
    return undefined;
  const actor = presented && (await findActor(ctx.reader, presented, now));
  if (!actor) throw new ApiError("ERR_UNAUTHORIZED");
  authorize(endpoint, actor, presented, now);
  await recordUse(ctx, actor, now);
  return actor;
}

/** Updates the time of last use, but not at every request. */
async function recordUse({ unaudited }: Context, actor: Actor, now: Date): Promise<void> {
  // A time far in the future was stored before the clock was set back.
  const isOlder = (at: Date | null, ms: number) => at === null || Math.abs(now.getTime() - at.getTime()) > ms;
  if (actor.type === "apiKey") {
    if (!isOlder(actor.lastUsedAt, KEY_TOUCH_MS)) return;
    await unaudited.updateTable("api_keys").set({ last_used_at: now }).where("id", "=", actor.id).execute();
  } else if (isOlder(actor.session.lastUsedAt, SESSION_TOUCH_MS)) {
    const sessions = unaudited.updateTable(actor.type === "user" ? "sessions" : "oidc_sessions");
    await sessions.set({ last_used_at: now }).where("id", "=", actor.session.id).execute();
  }
}
