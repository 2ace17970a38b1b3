/** A request to the server together with what the model expects of it. */
import {
  acceptsDryRun,
  type Endpoint,
  type ErrorCode,
  type Input,
  type Output,
  RequestError,
} from "@lightkeeper/contract";
import { isDeepStrictEqual } from "node:util";
import { findNewViolations } from "./guarantees.ts";
import { allowsKey, allowsMember, type Permission } from "./permissions.ts";
import { findByID, type Organization, record, type State } from "./state.ts";
import type { Driver } from "./driver.ts";

/** Who sends a request: a member or an API key of an organization. */
export interface Caller {
  organization: number;
  id: string;
}

/** The response: "OK" with data, or the codes of the errors. */
export interface Reply {
  codes: string[];
  data: unknown;
}

export interface Call {
  /** The request in a form that people read. */
  text: string;
  send: (driver: Driver) => Promise<Reply>;
  /** Changes the state as the request should; throws a Mismatch if the reply isn't what the model expects. */
  accept: (state: State, reply: Reply) => void;
  /** The same request, which the server only tries; missing if it can't. */
  tryOut?: Call;
}

/** The server did something else than the model. */
export class Mismatch extends Error {}

export interface Prediction<Data> {
  /** Every problem with the request. The server may report any of them. */
  problems: readonly (ErrorCode | false | undefined)[];
  /** Makes the change. While the model only tries it, there is no data yet. */
  change?: (organization: Organization, data: Data | undefined) => void;
  /** A part of the response, after the change. */
  response?: (organization: Organization) => unknown;
}

export interface Request<E extends Endpoint> {
  caller: Caller;
  permission: Permission;
  name: string;
  endpoint: E;
  input: Input<E>;
  predict: (organization: Organization, actor: string) => Prediction<Output<E>>;
  /** Stores what later requests need, such as a token. */
  remember?: (driver: Driver, data: Output<E>) => void;
}

type Sent = { params?: object; query?: object; body?: object };

const describe = (name: string, caller: Caller, { params, query, body }: Sent): string =>
  [
    name,
    `by ${caller.id}`,
    ...[params, query, body].flatMap((part) => (part ? JSON.stringify(part) : [])),
  ].join(" ");

/** Returns the reply instead of throwing errors of the API. */
export async function settle(call: Promise<unknown>): Promise<Reply> {
  try {
    return { codes: [], data: await call };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { codes: error.errors.map(({ code }) => code), data: undefined };
  }
}

export function callApi<E extends Endpoint>(request: Request<E>): Call {
  const { caller, name, endpoint, input } = request;
  return {
    text: describe(name, caller, input as Sent),
    send: async (driver) => {
      const reply = await settle(driver.clientOf(caller.id)(endpoint, input as never));
      if (reply.codes.length === 0) request.remember?.(driver, reply.data as Output<E>);
      return reply;
    },
    accept: (state, reply) => acceptReply(state, reply, request),
    ...(acceptsDryRun(endpoint) && { tryOut: tryApi(request) }),
  };
}

/** A dry run fails like the request, names the guarantees that it would break, and changes nothing. */
function tryApi<E extends Endpoint>(request: Request<E>): Call {
  const { caller, name, endpoint, input } = request;
  const query = { ...(input as Sent).query, dryRun: true };
  return {
    text: describe(name, caller, { ...(input as Sent), query }),
    send: (driver) => settle(driver.clientOf(caller.id)(endpoint, { ...input, query } as never)),
    accept: (state, reply) => {
      const { organization, problems, violated } = decide(state, request);
      if (!organization || problems.length > 0) return requireCodes(reply, problems);
      requireCodes(reply, []);
      const { brokenGuarantees } = reply.data as { brokenGuarantees: { id: string }[] };
      const ids = brokenGuarantees.map(({ id }) => id);
      requireParts("The broken guarantees", ids.toSorted(), violated.toSorted());
    },
  };
}

/** The error that is decided before the request is read, if any. */
function authorize(
  organization: Organization,
  { caller, permission }: Pick<Request<Endpoint>, "caller" | "permission">,
) {
  const member = findByID(organization.members, caller.id);
  const key = findByID(organization.keys, caller.id);
  if (!member && !key) return "ERR_UNAUTHORIZED";
  const isAllowed = member ? allowsMember(permission, member.role) : allowsKey(permission, key?.scopes ?? []);
  return isAllowed ? undefined : "ERR_FORBIDDEN";
}

/** What is wrong with the request, and which guarantees it would break. */
function decide<E extends Endpoint>(state: State, request: Request<E>) {
  const organization = state.organizations[request.caller.organization]!;
  const denied = authorize(organization, request);
  if (denied) return { problems: [denied], violated: [] };
  const prediction = request.predict(organization, request.caller.id);
  const problems = prediction.problems.filter((problem) => typeof problem === "string");
  if (problems.length > 0) return { problems, violated: [] };
  const tried = structuredClone(organization);
  prediction.change?.(tried, undefined);
  return { organization, prediction, problems, violated: findNewViolations(organization, tried) };
}

function acceptReply<E extends Endpoint>(state: State, reply: Reply, request: Request<E>): void {
  const { organization, prediction, problems, violated } = decide(state, request);
  if (!organization) return requireCodes(reply, problems);
  if (violated.length > 0) {
    for (const id of violated) record(organization, request.caller.id, ["guarantee", id], "REJECTED_CHANGE");
    return requireCodes(reply, ["ERR_GUARANTEE_VIOLATED"]);
  }
  requireCodes(reply, []);
  prediction.change?.(organization, reply.data as Output<E>);
  requireParts("The response", reply.data, prediction.response?.(organization));
}

export function requireCodes({ codes }: Reply, allowed: readonly string[]): void {
  const isExpected =
    allowed.length === 0
      ? codes.length === 0
      : codes.length > 0 && codes.every((code) => allowed.includes(code));
  if (!isExpected)
    throw new Mismatch(
      `The model expects ${allowed.length === 0 ? "success" : allowed.join(" or ")}; the server responded ${codes.length === 0 ? "with success" : codes.join(", ")}`,
    );
}

/** Objects may have more properties than expected; lists have to be equal in length. */
export function findDifference(actual: unknown, expected: unknown, path = ""): string | undefined {
  if (expected === undefined) return undefined;
  if (typeof expected !== "object" || expected === null || typeof actual !== "object" || actual === null)
    return isDeepStrictEqual(actual, expected)
      ? undefined
      : `${path || "the value"} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;
  if (Array.isArray(expected) && (!Array.isArray(actual) || actual.length !== expected.length))
    return `${path || "the list"} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;
  for (const [key, value] of Object.entries(expected)) {
    const difference = findDifference((actual as Record<string, unknown>)[key], value, `${path}.${key}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

export function requireParts(what: string, actual: unknown, expected: unknown): void {
  const difference = findDifference(actual, expected);
  if (difference !== undefined) throw new Mismatch(`${what}: ${difference}`);
}
