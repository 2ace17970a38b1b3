/** Devices that enroll by somebody signing in: what they wait for. */
import type { Context } from "../context.ts";
import { hashToken, newToken } from "../crypto/tokens.ts";
import { ApiError } from "../http/api-error.ts";

const LIFETIME_MS = 15 * 60_000;

export async function startEndpointAuth(
  { bookkeeper, config }: Context,
  now: Date,
): Promise<{ pollToken: string; loginURL: string }> {
  const [pollToken, loginToken] = [newToken(), newToken()];
  await bookkeeper
    .insertInto("endpoint_auth_requests")
    .values({
      poll_token_hash: hashToken(pollToken),
      login_token_hash: hashToken(loginToken),
      state: "WAITING",
      expires_at: new Date(now.getTime() + LIFETIME_MS),
    })
    .execute();
  return { pollToken, loginURL: `${config.appURL}/endpoint-auth/login?loginToken=${loginToken}` };
}

export async function getEndpointAuthState({ reader }: Context, pollToken: string, now: Date) {
  const row = await reader
    .selectFrom("endpoint_auth_requests")
    .select("state")
    .where("poll_token_hash", "=", hashToken(pollToken))
    .where("expires_at", ">", now)
    .executeTakeFirst();
  if (!row)
    throw new ApiError("ERR_INVALID_VALUE", { path: "pollToken", message: "is unknown or has expired" });
  return row.state;
}

export async function forgetEndpointAuth({ bookkeeper }: Context, now: Date): Promise<void> {
  await bookkeeper.deleteFrom("endpoint_auth_requests").where("expires_at", "<=", now).execute();
}
