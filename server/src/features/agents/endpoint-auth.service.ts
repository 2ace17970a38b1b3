/**
 * Devices whose people sign in for them: what a device waits for. The code it will enroll with follows from the
 * token it polls with, so that nobody else can tell it and nothing here holds it.
 */
import { createHmac } from "node:crypto";
import type {
  Output,
  pollEndpointAuth as pollEndpointAuthCall,
  startEndpointAuth as startEndpointAuthCall,
} from "@lightkeeper/contract";
import type { Selectable } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import { hashToken, newToken } from "../../infrastructure/crypto/tokens.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { consume } from "../../infrastructure/http/rate-limit.ts";
import { endpointOf, findProvider } from "../../nouns/sso/oidc-provider.service.ts";
import type { CallingHost } from "./calling-hosts.service.ts";
import { verificationCodeOf } from "./verification-code.ts";

const LIFETIME_MS = 15 * 60_000;
const REAUTHENTICATIONS_MAX = 30;

export type EndpointRequest = Selectable<Tables["endpoint_auth_requests"]>;

const codeOf = (pollToken: string) => createHmac("sha256", pollToken).update("enrollment code").digest("hex");

/** The code is part of the address, so that a client that only shows the address shows the code. */
async function keepRequest(
  { unaudited, config }: Context,
  { pollToken, hostID, now }: { pollToken: string; hostID: string | null; now: Date },
): Promise<{ loginURL: string; verificationCode: string }> {
  const loginToken = newToken();
  const verificationCode = verificationCodeOf(loginToken);
  await unaudited
    .insertInto("endpoint_auth_requests")
    .values({
      poll_token_hash: hashToken(pollToken),
      login_token_hash: hashToken(loginToken),
      code_hash: hostID === null ? hashToken(codeOf(pollToken)) : null,
      host_id: hostID,
      verification_code: verificationCode,
      state: "WAITING",
      expires_at: new Date(now.getTime() + LIFETIME_MS),
    })
    .execute();
  const query = `code=${verificationCode}&loginToken=${loginToken}`;
  return { loginURL: `${config.appURL}/endpoint-auth/login?${query}`, verificationCode };
}

export async function startEndpointAuth(
  ctx: Context,
  now: Date,
): Promise<Output<typeof startEndpointAuthCall>> {
  const pollToken = newToken();
  return { pollToken, ...(await keepRequest(ctx, { pollToken, hostID: null, now })) };
}

/** Where the person of a device that is known signs in again; nobody polls for it. */
export async function startReauthentication(
  ctx: Context,
  { id, organizationID, endpointUserID }: CallingHost,
  now: Date,
): Promise<string> {
  const provider = endpointUserID === null ? undefined : await findProvider(ctx.reader, organizationID);
  if (!provider || !endpointOf(provider)) throw new ApiError("ERR_OIDC_NOT_CONFIGURED");
  const limit = { name: "reauthenticate:host", subject: id, max: REAUTHENTICATIONS_MAX };
  await consume(ctx.unaudited, now, [limit]);
  return (await keepRequest(ctx, { pollToken: newToken(), hostID: id, now })).loginURL;
}

export async function pollEndpointAuth(
  { reader }: Context,
  pollToken: string,
  now: Date,
): Promise<Output<typeof pollEndpointAuthCall>> {
  const row = await reader
    .selectFrom("endpoint_auth_requests")
    .select("state")
    .where("poll_token_hash", "=", hashToken(pollToken))
    .where("expires_at", ">", now)
    .executeTakeFirst();
  if (!row)
    throw new ApiError("ERR_INVALID_VALUE", { path: "pollToken", message: "is unknown or has expired" });
  if (row.state === "REJECTED")
    throw new ApiError("ERR_INVALID_VALUE", {
      path: "pollToken",
      message: "an administrator rejected the device",
    });
  if (row.state === "COMPLETED") return { state: row.state, enrollmentCode: codeOf(pollToken) };
  // Clients know three states: a device that waits for approval waits.
  return { state: row.state === "PENDING_APPROVAL" ? "WAITING" : row.state, enrollmentCode: "" };
}

/** What a person has been asked to sign in for. */
export async function getEndpointRequest(
  { reader }: Context,
  loginToken: string,
  now: Date,
): Promise<EndpointRequest> {
  const row = await reader
    .selectFrom("endpoint_auth_requests")
    .selectAll()
    .where("login_token_hash", "=", hashToken(loginToken))
    .where("expires_at", ">", now)
    .executeTakeFirst();
  if (row) return row;
  throw new ApiError("ERR_INVALID_VALUE", { path: "loginToken", message: "is unknown or has expired" });
}

/** The device a request is for, where there is one already. */
export async function findDevice({ reader }: Context, { host_id }: EndpointRequest) {
  if (host_id === null) return undefined;
  return reader
    .selectFrom("hosts")
    .innerJoin("organizations", "organizations.id", "hosts.organization_id")
    .select(["hosts.name", "hosts.organization_id", "organizations.name as organization_name"])
    .where("hosts.id", "=", host_id)
    .executeTakeFirst();
}

export async function deleteExpiredEndpointAuth({ unaudited }: Context, now: Date): Promise<void> {
  await unaudited.deleteFrom("endpoint_auth_requests").where("expires_at", "<=", now).execute();
}
