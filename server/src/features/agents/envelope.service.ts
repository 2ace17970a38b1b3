/**
 * Authenticates messages of agents. A client discards its credentials after a 401, so only invalid credentials get
 * one; errors that another attempt may fix are 400.
 */
import { createHash } from "node:crypto";
import { AgentMessage, type AgentRequest } from "@lightkeeper/contract/agent";
import { curveOf } from "@lightkeeper/nebula";
import { sql } from "kysely";
import { AGENT_SPACING_MS, createBatch } from "../../infrastructure/scheduling/batch.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { isSignedBy } from "../../nouns/certificates/host-keys.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { parse, parseJsonBytes } from "../../infrastructure/http/parse.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";
import type { CallingHost, FindCallingHost } from "./calling-hosts.service.ts";
import { createPromotion } from "./promotion.service.ts";

/** Hosts may be off by more than the server's own clock. */
const HOST_CLOCK_SKEW_MS_MAX = 5 * MINUTE_MS;
const UPDATE_CLAIM = /"type":\s*"Do(Config)?Update"/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

export interface DecodedRequest extends AgentRequest {
  /** Decoded from the message, which is base64. */
  bytes: Buffer;
}

export interface Authenticated {
  host: CallingHost;
  message: AgentMessage;
}

/** Throws unless the message is signed by the host, recent, and not a repetition. */
export type Authenticate = (request: DecodedRequest, now: Date) => Promise<Authenticated>;

export function createAuthentication(ctx: Context, find: FindCallingHost): Authenticate {
  const isNew = createSignatureStore(ctx);
  const promote = createPromotion(ctx.unaudited);
  return async (request, now) => {
    const host = await find({ hostID: request.hostID, counter: Math.min(request.counter, COUNTER_MAX) });
    if (!host || !(await isSignedBy(host.signingKey, request.message, request.signature)))
      throw new ApiError("ERR_UNAUTHORIZED", { message: "the credentials are not valid" });
    const message = parse(AgentMessage, parseMessage(request.bytes, "message"));
    requireCurrentTimestamp(message.timestamp, now);
    if (!(await isNew({ hash: hashOf(request, host), seenAt: now }))) throw repeatedMessage();
    if (host.isPending)
      await promote({ hostID: host.id, counter: host.counter, now, certificate: host.certificate });
    return { host, message };
  };
}

/** Whether a message claims to fetch an update; nothing is verified yet. */
export const claimsUpdate = ({ bytes }: DecodedRequest): boolean =>
  UPDATE_CLAIM.test(bytes.toString("latin1"));

export const isUpdate = ({ type }: AgentMessage): boolean => type === "DoUpdate" || type === "DoConfigUpdate";

/** The largest integer of the database. */
const COUNTER_MAX = 2 ** 31 - 1;

/** Decodes base64 and parses the bytes as JSON. */
export const decodeJson = (base64: string, path: string): unknown =>
  parseMessage(Buffer.from(base64, "base64"), path);

function parseMessage(bytes: Buffer, path: string): unknown {
  try {
    return parseJsonBytes(bytes);
  } catch {
    throw new ApiError("ERR_INVALID_VALUE", { path, message: "must be JSON in base64" });
  }
}

function requireCurrentTimestamp(timestamp: string, now: Date): void {
  const at = TIMESTAMP.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  if (Math.abs(at - now.getTime()) <= HOST_CLOCK_SKEW_MS_MAX) return;
  throw new ApiError("ERR_INVALID_VALUE", {
    path: "message.timestamp",
    message: "the clock of the host is more than 5 minutes off",
  });
}

/** A P256 signature can be changed to another valid one without the key, so the signed text is remembered instead. */
const hashOf = ({ message, signature }: AgentRequest, { id, signingKey }: CallingHost) =>
  createHash("sha256")
    .update(curveOf(signingKey) === "P256" ? `${id} ${message}` : Buffer.from(signature, "base64"))
    .digest("hex");

const repeatedMessage = () =>
  new ApiError("ERR_INVALID_VALUE", {
    path: "signature",
    message: "the message was sent before; the clock of the host may have stopped",
  });

const BATCH_SIZE = 500;

/** Stores each signature and returns whether it is new, across all processes. */
function createSignatureStore({ unaudited }: Context) {
  return createBatch({
    max: BATCH_SIZE,
    spacingMs: AGENT_SPACING_MS,
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
      const stored = new Set(rows.map(({ hash }) => hash));
      return hashes.map((hash) => stored.has(hash));
    },
  });
}

/** Deletes signatures whose messages are too old to be accepted again. */
export async function deleteExpiredSignatures({ unaudited }: Context, now: Date): Promise<void> {
  const old = new Date(now.getTime() - 3 * HOST_CLOCK_SKEW_MS_MAX);
  await unaudited.deleteFrom("seen_signatures").where("seen_at", "<", old).execute();
}
