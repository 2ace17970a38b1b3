/** A link that logs in as the owner without a second factor, on this machine only. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { AUTH_TOKEN_DAYS, SESSION_TOKEN_DAYS } from "@lightkeeper/contract";
import { type Config, ConfigError, isLoopback, type Prepared } from "@lightkeeper/server/app";
import { logInOwner } from "@lightkeeper/server/seeds";

const DAY_SECONDS = 86_400;

export interface Account {
  userID: string;
  organizationID: string;
  email: string;
}

export function assertLocal({ appEnv, databaseURL }: Config): void {
  if (appEnv !== "local")
    throw new ConfigError(
      "This command requires APP_ENV=local, because its login link needs no second factor.",
    );
  if (databaseURL) throw new ConfigError("This command uses its own database. Unset DATABASE_URL.");
}

const cookie = (name: string, value: string, days: number) =>
  `${name}=${value}; Path=/; SameSite=Strict; Secure; Max-Age=${Math.round(days * DAY_SECONDS)}`;

const hash = (text: string) => createHash("sha256").update(text).digest();

/** Serves an unguessable path that sets the cookies of a login. */
export function serveLoginLink({ http, ctx }: Prepared, owner: Account): string {
  const token = randomBytes(32).toString("base64url");
  http.get<{ Params: { token: string } }>("/demo/:token", async (request, reply) => {
    const isLocal = isLoopback(request.socket.remoteAddress) && isLoopback(request.hostname);
    if (!isLocal || !timingSafeEqual(hash(request.params.token), hash(token))) return reply.callNotFound();
    const { userToken, authToken } = await logInOwner(ctx, owner, "demo");
    return reply
      .header("cache-control", "no-store")
      .header("set-cookie", [
        cookie("usertoken", userToken, SESSION_TOKEN_DAYS),
        cookie("authtoken", authToken, AUTH_TOKEN_DAYS),
      ])
      .redirect("/");
  });
  return `/demo/${token}`;
}
