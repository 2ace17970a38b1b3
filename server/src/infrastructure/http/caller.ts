/** Who makes a request, as far as its endpoint allows. */
import type { Endpoint } from "@lightkeeper/contract";
import type { FastifyRequest } from "fastify";
import { runAs, UNAUTHENTICATED } from "../scheduling/work-class.ts";
import type { Actor, Person, Presented, User } from "./actor.ts";
import type { Limit } from "./rate-limit.ts";

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

/** The checks of a request, which `nouns/auth/identity` implements. */
export interface Admission {
  /** Runs before the body is read; throws unless the caller may use the endpoint. */
  admit<E extends Endpoint>(
    endpoint: E,
    request: FastifyRequest,
    limits: CallerLimits<E> | undefined,
  ): Promise<void>;
  /** Throws unless the caller of another endpoint may use this one too. */
  authorize(endpoint: Endpoint, caller: Caller<Endpoint>, now: Date): void;
  /** Throws unless the caller may use these query parameters. */
  authorizeQuery(endpoint: Endpoint, actor: Actor | undefined, query: object | undefined): void;
  /** Returns the caller of an admitted request. */
  callerOf(request: FastifyRequest): Caller<Endpoint> | undefined;
}
