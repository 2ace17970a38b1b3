/**
 * Who sends a message, and that it is meant now. 401 is the end of a client's credentials, so it is kept for
 * those that are no good; everything that a second try may mend is 400.
 */
import { createHash } from "node:crypto";
import { AgentMessage, type AgentRequest } from "@lightkeeper/contract/agent";
import { sql } from "kysely";
import { createBatch } from "../../infrastructure/scheduling/batch.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { createPromotion } from "../../nouns/certificates/promotion.service.ts";
import { isSignedBy } from "../../nouns/certificates/host-keys.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { parse, parseJsonBytes } from "../../infrastructure/http/parse.ts";
import type { CallingHost, FindCallingHost } from "./calling-hosts.service.ts";

const CLOCK_SKEW_MAX_MS = 5 * 60 * 1000;
const UPDATE_CLAIM = /"type":\s*"Do(Config)?Update"/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

export interface Authenticated {
  host: CallingHost;
  message: AgentMessage;
}

/** Throws unless the message is a host's own, fresh and new. */
export type Authenticate = (request: AgentRequest, now: Date) => Promise<Authenticated>;

export function createAuthentication(ctx: Context, find: FindCallingHost): Authenticate {
  const isNew = createSignatureMemory(ctx);
  const promote = createPromotion(ctx.unaudited);
  return async (request, now) => {
    const host = await find({ hostID: request.hostID, counter: Math.min(request.counter, COUNTER_MAX) });
    if (!host || !isSignedBy(host.signingKey, request.message, request.signature))
      throw new ApiError("ERR_UNAUTHORIZED", { message: "the credentials are not valid" });
    const message = parse(AgentMessage, decoded(request.message, "message"));
    refuseSkewed(message.timestamp, now);
    if (!(await isNew({ hash: hashOf(request.signature), seenAt: now }))) throw repeated();
    if (host.isPending)
      await promote({ hostID: host.id, counter: host.counter, now, certificate: host.certificate });
    return { host, message };
  };
}

/** Whether a message claims to fetch an update; nothing is verified yet. */
export const claimsUpdate = ({ message }: AgentRequest): boolean =>
  UPDATE_CLAIM.test(Buffer.from(message, "base64").toString("latin1"));

export const isUpdate = ({ type }: AgentMessage): boolean => type === "DoUpdate" || type === "DoConfigUpdate";

/** As far as the database counts. */
const COUNTER_MAX = 2 ** 31 - 1;

/** The JSON in bytes that came as base64. */
export function decoded(base64: string, path: string): unknown {
  try {
    return parseJsonBytes(Buffer.from(base64, "base64"));
  } catch {
    throw new ApiError("ERR_INVALID_VALUE", { path, message: "must be JSON in base64" });
  }
}

function refuseSkewed(timestamp: string, now: Date): void {
  const at = MOMENT.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  if (Math.abs(at - now.getTime()) <= CLOCK_SKEW_MAX_MS) return;
  throw new ApiError("ERR_INVALID_VALUE", {
    path: "message.timestamp",
    message: "the clock of the host is more than 5 minutes off",
  });
}

const hashOf = (signature: string) =>
  createHash("sha256").update(Buffer.from(signature, "base64")).digest("hex");

const repeated = () =>
  new ApiError("ERR_INVALID_VALUE", {
    path: "signature",
    message: "the message was sent before; the clock of the host may stand still",
  });

const SIGNATURES_AT_ONCE = 500;

/** Whether a signature comes for the first time, on whichever process. */
function createSignatureMemory({ unaudited }: Context) {
  return createBatch({
    max: SIGNATURES_AT_ONCE,
    keyOf: ({ hash }: { hash: string; seenAt: Date }) => hash,
    work: async (signatures: { hash: string; seenAt: Date }[]) => {
      const hashes = signatures.map(({ hash }) => hash);
      const times = signatures.map(({ seenAt }) => seenAt);
      const { rows } = await sql<{ hash: string }>`
        insert into seen_signatures (signature_hash, seen_at)
          select decode(hash, 'hex'), seen_at
            from unnest(${hashes}::text[], ${times}::timestamptz[]) seen (hash, seen_at) order by hash
          on conflict do nothing
          returning encode(signature_hash, 'hex') as hash`.execute(unaudited);
      const taken = new Set(rows.map(({ hash }) => hash));
      return hashes.map((hash) => taken.has(hash));
    },
  });
}

/** A signature is remembered for as long as its message could be sent again. */
export async function deleteExpiredSignatures({ unaudited }: Context, now: Date): Promise<void> {
  const old = new Date(now.getTime() - 3 * CLOCK_SKEW_MAX_MS);
  await unaudited.deleteFrom("seen_signatures").where("seen_at", "<", old).execute();
}
