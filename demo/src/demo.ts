/**
 * Starts the server with a sample organization in its own data directory, and a link that logs in as its owner. The
 * link works only on this machine, only with APP_ENV=local and only while the command runs.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentAction } from "@lightkeeper/contract/agent";
import { type Prepared, readConfig, releaseOf, serve, version } from "@lightkeeper/server/app";
import { deleteOrganizationOf } from "@lightkeeper/server/seeds";
import { type AgentContext, DemoAgent } from "./agents/demo-agent.ts";
import { Fleet } from "./agents/fleet.ts";
import { listenURL } from "./listen-url.ts";
import { type Account, assertLocal, serveLoginLink } from "./login-link.ts";
import { systemOf } from "./agents/systems.ts";
import { createHistory, HISTORY_DAYS } from "./organization/history.ts";
import { startHistoryServer } from "./organization/history-server.ts";
import { OWNER_EMAIL } from "./organization/people.ts";
import { storeTrafficHistory } from "./organization/traffic-history.ts";

const DATA_DIR = "data/demo";
const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1000;
const NOTICE = "This is a demo. Its 200 hosts are simulated; everything else works as on your own server.";
/** Written last: without this file, the organization is created again. */
const COMPLETE = "complete";

export async function runDemo(): Promise<void> {
  const config = readConfig({ ...process.env, DATA_DIR: process.env.DATA_DIR || DATA_DIR });
  assertLocal(config);
  await serve(config, { prepare: prepareDemo, notice: NOTICE });
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

const findOwner = (ctx: Prepared["ctx"]): Promise<Account> =>
  ctx.reader
    .selectFrom("users")
    .select(["id as userID", "organization_id as organizationID", "email"])
    .where("email", "=", OWNER_EMAIL)
    .executeTakeFirstOrThrow();
