/** Limits the request rate by IP address, in memory and before the request is parsed. */
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config/config.ts";
import { ApiError } from "../errors/api-error.ts";
import { addressSubject, ipLimitFactor } from "./rate-limit.ts";

export interface Allowance {
  /** Requests allowed at the same moment after a pause. */
  burst: number;
  perSecond: number;
}

export const allowances = {
  /** An office behind one address: a console loads some 30 files, and scripts call several times a second. */
  general: { burst: 2000, perSecond: 200 },
  /** 10,000 agents behind one address: a change makes each of them call four times within seconds. */
  agents: { burst: 50_000, perSecond: 1000 },
} satisfies Record<string, Allowance>;
export type AllowanceName = keyof typeof allowances;

const ADDRESSES_MAX = 10_000;
/** A body counts as one more request for each of these. */
const COUNTED_BYTES = 16 * 1024;

/** Takes `cost` from the address's allowance; returns 0, or the seconds until there is enough. */
export type TakeFromAllowance = (ip: string, cost: number) => number;

/** A token bucket for each address. When there are too many, the one that was used least recently is dropped. */
export function createAllowance(
  { burst, perSecond }: Allowance,
  { addressesMax = ADDRESSES_MAX, nowMs = () => performance.now() } = {},
): TakeFromAllowance {
  const buckets = new Map<string, { left: number; atMs: number }>();
  return (ip, cost) => {
    const subject = addressSubject(ip);
    const atMs = nowMs();
    const stored = buckets.get(subject);
    const refilled = stored ? stored.left + ((atMs - stored.atMs) / 1000) * perSecond : burst;
    const available = Math.min(burst, refilled);
    const isAccepted = available >= cost;
    // Inserted again so that the order of the map is the order of use.
    buckets.delete(subject);
    buckets.set(subject, { left: isAccepted ? available - cost : available, atMs });
    if (buckets.size > addressesMax) buckets.delete(buckets.keys().next().value!);
    return isAccepted ? 0 : Math.ceil((cost - available) / perSecond);
  };
}

/** A body without a stated length counts as the largest that is allowed. */
function costOf(headers: IncomingHttpHeaders, bodyBytesMax: number): number {
  const isStated = headers["transfer-encoding"] === undefined;
  const bytes = isStated ? Number(headers["content-length"] ?? 0) : bodyBytesMax;
  return 1 + Math.floor(Math.min(bytes, bodyBytesMax) / COUNTED_BYTES);
}

export function limitRequestRate(app: FastifyInstance, config: Config): void {
  const factor = ipLimitFactor(config);
  const scale = ({ burst, perSecond }: Allowance) =>
    createAllowance({ burst: burst * factor, perSecond: perSecond * factor });
  const take = { general: scale(allowances.general), agents: scale(allowances.agents) };
  app.addHook("onRequest", async ({ ip, headers, routeOptions }) => {
    const cost = costOf(headers, routeOptions.bodyLimit ?? 0);
    const retryAfterSeconds = take[routeOptions.config.allowance ?? "general"](ip, cost);
    if (retryAfterSeconds > 0) throw new ApiError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds });
  });
}
