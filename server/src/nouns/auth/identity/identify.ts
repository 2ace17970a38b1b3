import type { Endpoint } from "@lightkeeper/contract";
import type { Context } from "../../../infrastructure/context/context.ts";
import { ApiError } from "../../../infrastructure/errors/api-error.ts";
import type { Actor, Presented } from "../../../infrastructure/http/actor.ts";
import { createBatchPerKey } from "../../../infrastructure/scheduling/batch.ts";
import { currentWork } from "../../../infrastructure/scheduling/work-class.ts";
import { HOUR_MS, MINUTE_MS } from "../../../infrastructure/time/durations.ts";
import { recordApiKeyUse } from "../../api-keys/api-keys.service.ts";
import { recordSsoSessionUse } from "../../sso/sso-sessions.service.ts";
import { recordSessionUse } from "../sessions.service.ts";
import { authorize } from "./authorize.ts";
import { findActor } from "./find-actor.ts";

const SESSION_USE_PRECISION_MS = HOUR_MS;
const API_KEY_USE_PRECISION_MS = MINUTE_MS;

/** Authenticates and authorizes the actor of a request; public endpoints have none. */
export type Identify = (
  endpoint: Endpoint,
  presented: Presented | undefined,
  now: Date,
) => Promise<Actor | undefined>;

export function createIdentify(ctx: Context): Identify {
  const find = shareLookups(ctx);
  return async (endpoint, presented, now) => {
    const { access } = endpoint;
    if (access.kind === "public" || access.kind === "agent" || access.kind === "presentedTokens")
      return undefined;
    const actor = presented && (await find({ presented, now }));
    if (!actor) throw new ApiError("ERR_UNAUTHORIZED");
    authorize(endpoint, actor, presented, now);
    await recordUse(ctx, actor, now);
    return actor;
  };
}

interface Lookup {
  presented: Presented;
  now: Date;
}

/** Includes the class of work: before the first lookup of a token, its organization isn't known. */
const keyOf = ({ presented: { kind, token, authToken } }: Lookup) =>
  [currentWork().workClass, kind, token.toString("base64"), authToken?.toString("base64")].join(" ");

/**
 * Requests that arrive while their tokens are being looked up share the next lookup. They never share one that has
 * started, so a token that was revoked before the request is rejected.
 */
function shareLookups({ reader }: Context) {
  return createBatchPerKey<Lookup, Actor | undefined>(keyOf, {
    max: Infinity,
    work: async (lookups) => {
      const { presented, now } = lookups.at(-1)!;
      const actor = await findActor(reader, presented, now);
      return lookups.map(() => actor);
    },
  });
}

/** Updates the time of last use, but not at every request. */
async function recordUse({ unaudited }: Context, actor: Actor, now: Date): Promise<void> {
  // A time far in the future was stored before the clock was set back.
  const isOlder = (at: Date | null, ms: number) => at === null || Math.abs(now.getTime() - at.getTime()) > ms;
  if (actor.type === "apiKey") {
    if (isOlder(actor.lastUsedAt, API_KEY_USE_PRECISION_MS)) await recordApiKeyUse(unaudited, actor.id, now);
  } else if (isOlder(actor.session.lastUsedAt, SESSION_USE_PRECISION_MS)) {
    const recordUseOfSession = actor.type === "user" ? recordSessionUse : recordSsoSessionUse;
    await recordUseOfSession(unaudited, actor.session.id, now);
  }
}
