/**
 * Who sends a message, and that it is meant now. 401 is the end of a client's credentials, so it is kept for
 * those that are no good; everything that a second try may mend is 400.
 */
import { createHash } from "node:crypto";
import { AgentMessage, AgentRequest } from "@lightkeeper/contract/agent";
import type { Context } from "../context.ts";
import { promoteCredentials } from "../enrollment/credentials.service.ts";
import { isSignedBy } from "../enrollment/host-keys.ts";
import { ApiError } from "../http/api-error.ts";
import { parse } from "../http/parse.ts";
import { type CallingHost, findCallingHosts } from "./calling-hosts.service.ts";

const CLOCK_SKEW_MAX_MS = 5 * 60 * 1000;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

export interface Authenticated {
  host: CallingHost;
  message: AgentMessage;
}

/** Throws unless the message is a host's own, fresh and new. */
export async function authenticate(ctx: Context, sent: unknown, now: Date): Promise<Authenticated> {
  const request = parse(AgentRequest, sent);
  const [host] = await findCallingHosts(ctx.reader, [
    { hostID: request.hostID, counter: Math.min(request.counter, COUNTER_MAX) },
  ]);
  if (!host || !isSignedBy(host.signingKey, request.message, request.signature))
    throw new ApiError("ERR_UNAUTHORIZED", { message: "the credentials are not valid" });
  const message = parse(AgentMessage, decoded(request.message, "message"));
  refuseSkewed(message.timestamp, now);
  await refuseRepeated(ctx, request.signature, now);
  if (host.isPending) await promote(ctx, host, now);
  return { host, message };
}

/** As far as the database counts. */
const COUNTER_MAX = 2 ** 31 - 1;

/** The JSON in bytes that came as base64. */
export function decoded(base64: string, path: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
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

async function refuseRepeated({ bookkeeper }: Context, signature: string, now: Date): Promise<void> {
  const bytes = Buffer.from(signature, "base64");
  const { numInsertedOrUpdatedRows } = await bookkeeper
    .insertInto("seen_signatures")
    .values({ signature_hash: createHash("sha256").update(bytes).digest(), seen_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 1n) return;
  throw new ApiError("ERR_INVALID_VALUE", {
    path: "signature",
    message: "the message was sent before; the clock of the host may stand still",
  });
}

async function promote({ bookkeeper }: Context, host: CallingHost, now: Date): Promise<void> {
  await promoteCredentials(bookkeeper, { hostID: host.id, counter: host.counter, now }, host.certificate);
}

/** A signature is remembered for as long as its message could be sent again. */
export async function forgetSignatures({ bookkeeper }: Context, now: Date): Promise<void> {
  const old = new Date(now.getTime() - 3 * CLOCK_SKEW_MAX_MS);
  await bookkeeper.deleteFrom("seen_signatures").where("seen_at", "<", old).execute();
}
