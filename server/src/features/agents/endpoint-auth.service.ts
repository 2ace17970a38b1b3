/**
 * Sign-ins for devices, from the device's side. The enrollment code is derived from the poll token of the device, so
 * that only the device can compute it and the server doesn't store it.
 */
import { createHmac } from "node:crypto";
import type {
  Output,
  pollEndpointAuth as pollEndpointAuthCall,
  startEndpointAuth as startEndpointAuthCall,
} from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { hashToken, newToken } from "../../infrastructure/crypto/tokens.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { consume } from "../../infrastructure/http/rate-limit.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";
import {
  type EndpointRequest,
  insertEndpointRequest,
} from "../../nouns/device-requests/device-requests.service.ts";
import { endpointOf, findProvider } from "../../nouns/sso/oidc-provider.service.ts";
import type { CallingHost } from "./calling-hosts.service.ts";
import { verificationCodeOf } from "./verification-code.ts";

const LIFETIME_MS = 15 * MINUTE_MS;
const REAUTHENTICATIONS_MAX = 30;

const enrollmentCodeOf = (pollToken: string) =>
  createHmac("sha256", pollToken).update("enrollment code").digest("hex");

/** The URL contains the verification code, so that a client that shows only the URL also shows the code. */
async function createRequest(
  { unaudited, config }: Context,
  { pollToken, hostID, now }: { pollToken: string; hostID: string | null; now: Date },
): Promise<{ loginURL: string; verificationCode: string }> {
  const loginToken = newToken();
  const verificationCode = verificationCodeOf(loginToken);
  await insertEndpointRequest(unaudited, {
    poll_token_hash: hashToken(pollToken),
    login_token_hash: hashToken(loginToken),
    code_hash: hostID === null ? hashToken(enrollmentCodeOf(pollToken)) : null,
    host_id: hostID,
    verification_code: verificationCode,
    state: "WAITING",
    expires_at: new Date(now.getTime() + LIFETIME_MS),
  });
  const query = `code=${verificationCode}&loginToken=${loginToken}`;
  return { loginURL: `${config.appURL}/endpoint-auth/login?${query}`, verificationCode };
}

export async function startEndpointAuth(
  ctx: Context,
  now: Date,
): Promise<Output<typeof startEndpointAuthCall>> {
  const pollToken = newToken();
  return { pollToken, ...(await createRequest(ctx, { pollToken, hostID: null, now })) };
}

/** Returns the URL where the user of an enrolled device signs in again; the device doesn't poll. */
export async function startReauthentication(
  ctx: Context,
  { id, organizationID, endpointUserID }: CallingHost,
  now: Date,
): Promise<string> {
  const provider = endpointUserID === null ? undefined : await findProvider(ctx.reader, organizationID);
  if (!provider || !endpointOf(provider)) throw new ApiError("ERR_OIDC_NOT_CONFIGURED");
  const limit = { name: "reauthenticate:host", subject: id, max: REAUTHENTICATIONS_MAX };
  await consume(ctx.unaudited, now, [limit]);
  return (await createRequest(ctx, { pollToken: newToken(), hostID: id, now })).loginURL;
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
  if (row.state === "COMPLETED") return { state: row.state, enrollmentCode: enrollmentCodeOf(pollToken) };
  // Public clients know three states: a device that waits for approval is WAITING.
  return { state: row.state === "PENDING_APPROVAL" ? "WAITING" : row.state, enrollmentCode: "" };
}

/** The request that a person signs in for. */
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

/** The device that a request is for; undefined if it is not enrolled yet. */
export async function findDevice({ reader }: Context, { host_id }: EndpointRequest) {
  if (host_id === null) return undefined;
  return reader
    .selectFrom("hosts")
    .innerJoin("organizations", "organizations.id", "hosts.organization_id")
    .select(["hosts.name", "hosts.organization_id", "organizations.name as organization_name"])
    .where("hosts.id", "=", host_id)
    .executeTakeFirst();
}
