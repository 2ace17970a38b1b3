/** What happens before the body of a request is read: authentication, authorization and limits. */
import type { Endpoint } from "@lightkeeper/contract";
import type { FastifyRequest } from "fastify";
import type { Context } from "../../../infrastructure/context/context.ts";
import {
  type Admission,
  type Caller,
  type CallerLimits,
  runFor,
} from "../../../infrastructure/http/caller.ts";
import { ApiError } from "../../../infrastructure/errors/api-error.ts";
import { consume } from "../../../infrastructure/http/rate-limit.ts";
import { runAs, UNAUTHENTICATED } from "../../../infrastructure/scheduling/work-class.ts";
import { authorize, authorizeQuery } from "./authorize.ts";
import { createIdentify } from "./identify.ts";
import { readPresentedTokens } from "./presented-tokens.ts";
import { createTokenOrganizations } from "./token-organizations.ts";

export function createAdmission(ctx: Context): Admission {
  const identify = createIdentify(ctx);
  const tokenOrganizations = createTokenOrganizations();
  const callers = new WeakMap<FastifyRequest, Caller<Endpoint>>();

  async function admit<E extends Endpoint>(
    endpoint: E,
    request: FastifyRequest,
    limits: CallerLimits<E> | undefined,
  ): Promise<void> {
    const now = ctx.clock();
    const presented = readPresentedTokens(request.headers.authorization);
    const actor = await runAs(tokenOrganizations.find(presented) ?? UNAUTHENTICATED, () =>
      identify(endpoint, presented, now),
    );
    if (actor) {
      request.actorID = actor.id;
      tokenOrganizations.set(presented, actor.organization.id);
    }
    const caller = {
      actor,
      person: actor?.type === "apiKey" ? undefined : actor,
      presented,
      ip: request.ip,
      userAgent: request.headers["user-agent"],
    } as Caller<E>;
    if (limits) await runFor(caller, () => consume(ctx.unaudited, now, limits(caller)));
    callers.set(request, caller);
  }

  return {
    admit,
    authorize: (endpoint, { actor, presented }, now) => {
      if (!actor || !presented) throw new ApiError("ERR_UNAUTHORIZED");
      authorize(endpoint, actor, presented, now);
    },
    authorizeQuery,
    callerOf: (request) => callers.get(request),
  };
}
