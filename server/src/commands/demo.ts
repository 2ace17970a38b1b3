/**
 * Starts the server with a sample organization in its own data directory, and a link that logs in as its owner. The
 * link works only on this machine, only with APP_ENV=local and only while the command runs.
 */
import { AUTH_TOKEN_DAYS, SESSION_TOKEN_DAYS } from "@lightkeeper/contract";
import type { FastifyInstance } from "fastify";
import type { Account } from "../nouns/auth/accounts.service.ts";
import { type Config, ConfigError, readConfig } from "../infrastructure/config/config.ts";
import type { Context } from "../infrastructure/context/context.ts";
import { hashToken, newToken, areHashesEqual } from "../infrastructure/crypto/tokens.ts";
import { createDatabase } from "../infrastructure/db/client.ts";
import { REQUEST_LIMITS, createPool } from "../infrastructure/db/pool.ts";
import { isLoopback } from "../infrastructure/http/loopback.ts";
import { createOwner, logInOwner } from "../seeds/owner.ts";
import { keepOnline } from "../seeds/presence.ts";
import { seed } from "../seeds/seed.ts";
import { readArguments } from "./arguments.ts";
import { type Prepared, serve } from "./serve.ts";
import { DAY_MS, DAY_SECONDS } from "../infrastructure/time/durations.ts";

const DATA_DIR = "data/demo";
const EMAIL = "owner@harborline.example";
const HOSTS = 200;
const AGE_MS = 730 * DAY_MS;

export async function demoCommand(args: string[], usage: string): Promise<void> {
  readArguments(args, usage);
  const config = readConfig({ ...process.env, DATA_DIR: process.env.DATA_DIR || DATA_DIR });
  assertLocal(config);
  await serve(config, prepareDemo);
}

function assertLocal({ appEnv, databaseURL }: Config): void {
  if (appEnv !== "local")
    throw new ConfigError("The demo requires APP_ENV=local, because its login link needs no second factor.");
  if (databaseURL) throw new ConfigError("The demo uses its own database. Unset DATABASE_URL.");
}

/** Returns the login link. */
export async function prepareDemo({ ctx, http, connectionString }: Prepared): Promise<string> {
  const owner = await findOrCreateOwner(ctx);
  const db = createDatabase(
    createPool({ connectionString, limits: REQUEST_LIMITS, onError: () => undefined }),
  );
  const stop = await keepOnline(db, owner.organizationID);
  http.addHook("onClose", async () => {
    await stop();
    await db.destroy();
  });
  return `${ctx.config.appURL}${serveLoginLink(http, ctx, owner)}`;
}

/** The seeds set the plan last, so an organization without it is incomplete and is seeded again. */
async function findOrCreateOwner(ctx: Context): Promise<Account> {
  const now = ctx.clock();
  const known = await ctx.reader
    .selectFrom("users")
    .innerJoin("organizations", "organizations.id", "users.organization_id")
    .select(["users.id as userID", "organizations.id as organizationID", "email", "plan"])
    .where("email", "=", EMAIL)
    .executeTakeFirst();
  if (known?.plan === "pro") return known;
  const owner = known ?? (await createOwner(ctx, { email: EMAIL, now: new Date(now.getTime() - AGE_MS) }));
  await seed(ctx, { organizationID: owner.organizationID, hosts: HOSTS, now });
  return owner;
}

const cookie = (name: string, value: string, days: number) =>
  `${name}=${value}; Path=/; SameSite=Strict; Secure; Max-Age=${Math.round(days * DAY_SECONDS)}`;

/** Serves an unguessable path that sets the cookies of a login. */
function serveLoginLink(http: FastifyInstance, ctx: Context, owner: Account): string {
  const token = newToken();
  http.get<{ Params: { token: string } }>("/demo/:token", async (request, reply) => {
    const isLocal = isLoopback(request.socket.remoteAddress) && isLoopback(request.hostname);
    if (!isLocal || !areHashesEqual(hashToken(request.params.token), hashToken(token)))
      return reply.callNotFound();
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
