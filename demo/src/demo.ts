/**
 * Starts the server with a sample organization in its own data directory, and a link that logs in as its owner. The
 * link works only on this machine, only with APP_ENV=local and only while the command runs.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { AUTH_TOKEN_DAYS, SESSION_TOKEN_DAYS } from "@lightkeeper/contract";
import type { AgentAction } from "@lightkeeper/contract/agent";
import {
  type Config,
  ConfigError,
  isLoopback,
  type Prepared,
  readConfig,
  releaseOf,
  serve,
  version,
} from "@lightkeeper/server/app";
import { deleteOrganizationOf, logInOwner } from "@lightkeeper/server/seeds";
import type { FastifyInstance } from "fastify";
import { type AgentContext, DemoAgent } from "./agents/demo-agent.ts";
import { Fleet } from "./agents/fleet.ts";
import { systemOf } from "./agents/systems.ts";
import { createHistory, HISTORY_DAYS } from "./organization/history.ts";
import { startHistoryServer } from "./organization/history-server.ts";
import { OWNER_EMAIL } from "./organization/people.ts";
import { storeTrafficHistory } from "./organization/traffic-history.ts";

const DATA_DIR = "data/demo";
const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1000;
/** Written last: without this file, the organization is created again. */
const COMPLETE = "complete";

export async function runDemo(): Promise<void> {
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
export async function prepareDemo(prepared: Prepared): Promise<string> {
  const { ctx, http } = prepared;
  const directory = join(ctx.config.dataDir, "agents");
  let fleet: Fleet | undefined;
  const context = {
    directory,
    version: releaseOf(version),
    now: () => ctx.clock().getTime(),
    describe: (agent: DemoAgent) => fleet?.describe(agent) ?? {},
    runCommand: (agent: DemoAgent, action: AgentAction) => fleet?.runCommand(agent, action),
  };
  if (!existsSync(join(directory, COMPLETE))) await createOrganization(prepared, context);
  const owner = await findOwner(ctx);
  http.addHook("onListen", () => {
    fleet = new Fleet(DemoAgent.restoreAll({ ...context, url: listenURL(http) }), context.now);
    fleet.start();
  });
  http.addHook("preClose", async () => fleet?.stop());
  return `${ctx.config.appURL}${serveLoginLink(prepared, owner)}`;
}

const listenURL = (http: FastifyInstance) => {
  const { address, port } = http.server.address() as AddressInfo;
  return `http://${address}:${port}`;
};

async function createOrganization(
  { ctx, connectionString }: Prepared,
  context: Omit<AgentContext, "url">,
): Promise<void> {
  const { directory } = context;
  process.stdout.write("Creating the demo: a year of history and 200 hosts…\n");
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  await deleteOrganizationOf(ctx, OWNER_EMAIL);
  const nowMs = ctx.clock().getTime();
  const startAtMs = nowMs - HISTORY_DAYS * DAY_MS;
  const server = await startHistoryServer({ config: ctx.config, connectionString, version, startAtMs });
  const { url, now } = server;
  const describe = ({ key }: DemoAgent) => ({ system: systemOf(key), tunnels: [] });
  let agents: DemoAgent[];
  try {
    agents = await createHistory({
      server,
      nowMs,
      enroll: (host, code) => DemoAgent.enroll({ ...context, url, now, describe }, host, code),
    });
  } finally {
    await server.close();
  }
  const { organizationID } = await findOwner(ctx);
  await storeTrafficHistory(ctx, { organizationID, agents, nowMs });
  writeFileSync(join(directory, COMPLETE), "");
}

interface Account {
  userID: string;
  organizationID: string;
  email: string;
}

const findOwner = (ctx: Prepared["ctx"]): Promise<Account> =>
  ctx.reader
    .selectFrom("users")
    .select(["id as userID", "organization_id as organizationID", "email"])
    .where("email", "=", OWNER_EMAIL)
    .executeTakeFirstOrThrow();

const cookie = (name: string, value: string, days: number) =>
  `${name}=${value}; Path=/; SameSite=Strict; Secure; Max-Age=${Math.round(days * DAY_SECONDS)}`;

const hash = (text: string) => createHash("sha256").update(text).digest();

/** Serves an unguessable path that sets the cookies of a login. */
function serveLoginLink({ http, ctx }: Prepared, owner: Account): string {
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
