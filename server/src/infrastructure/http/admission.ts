/** What happens before the body of a request is read: authentication, authorization and limits. */
import type { Endpoint } from "@lightkeeper/contract";
import type { FastifyRequest } from "fastify";
import type { Context } from "../context/context.ts";
import { runAs, UNAUTHENTICATED } from "../scheduling/work-class.ts";
import { type Actor, type Person, type Presented, readPresentedTokens, type User } from "./credentials.ts";
import { identify } from "./identify.ts";
import { consume, type Limit } from "./rate-limit.ts";
import { createTokenOrganizations } from "./token-organizations.ts";

/** A person, or an API key if the endpoint has a scope. */
type ActorOf<E extends Endpoint> = E["access"]["kind"] extends "public" | "agent" | "presentedTokens"
  ? undefined
  : Actor;
/** Defined if only people may use the endpoint. */
type PersonOf<E extends Endpoint> = E["access"]["kind"] extends "userToken" | "user"
  ? User
  : E["access"]["kind"] extends "session"
    ? Person
    : undefined;

export interface Caller<E extends Endpoint> {
  actor: ActorOf<E>;
  person: PersonOf<E>;
  presented: Presented | undefined;
  ip: string;
  userAgent: string | undefined;
}

export type CallerLimits<E extends Endpoint> = (caller: Caller<E>) => Limit[];

/** Queues the work of a request with the other work of its organization. */
export const runFor = <T>({ actor }: { actor?: Actor | undefined }, work: () => T): T =>
  runAs(actor?.organization.id ?? UNAUTHENTICATED, work);

export function createAdmission(ctx: Context) {
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
      identify(ctx, endpoint, presented, now),
    );
    if (actor) {
      request.actorID = actor.id;
      tokenOrganizations.remember(presented, actor.organization.id);
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

  return { admit, callerOf: (request: FastifyRequest) => callers.get(request) };
}
