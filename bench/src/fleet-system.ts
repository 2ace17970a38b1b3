/**
 * A `serve` process with one organization, and a network of agents that wait on it. The embedded PostgreSQL is the
 * server's own, durable, and also counts statements.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, createClient, createNetwork, createRole, updateRole } from "@lightkeeper/contract";
import pg from "pg";
import { readConfig } from "../../server/src/infrastructure/config/config.ts";
import { type Context, createContext } from "../../server/src/infrastructure/context/context.ts";
import { type AuditEntry, done } from "../../server/src/infrastructure/db/audited.ts";
import { createEnrollmentCode } from "../../server/src/features/enrollment/enrollment-codes.service.ts";
import { createHosts, type HostInput } from "../../server/src/nouns/hosts/hosts.service.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@lightkeeper/postgres";
import { createOwner, signInOwner } from "../../server/src/seeds/owner.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { freePort, serve, type ServeProcess } from "./serve-process.ts";
import { until } from "./until.ts";

const ENROLLED_AT_ONCE = 16;
const LIGHTHOUSES = 3;
const SETTLE_MS = 500;

export interface FleetSystem {
  fleet: Fleet;
  size: number;
  /** The one that runs now. */
  server: () => ServeProcess;
  /** Starts another server where one was killed. */
  serveAgain: () => Promise<void>;
  enroll: () => Promise<void>;
  /** Opens a port on every host that has an agent. */
  openPort: (port: number) => Promise<void>;
  /** Opens a port on a host of the same network that has none. */
  openPortElsewhere: (port: number) => Promise<void>;
  /** How many the database has been given so far. */
  statements: () => Promise<number>;
  /** How many messages of agents the server has taken. */
  messages: () => Promise<number>;
  /** Until it has taken all that were sent, and had a moment to deal with them. */
  settle: () => Promise<void>;
  stop: () => Promise<void>;
}

export async function startDatabase(dataDir: string): Promise<EmbeddedPostgres> {
  const start = () => startEmbeddedPostgres({ dataDir, database: "lightkeeper", log: () => undefined });
  const first = await start();
  const client = new pg.Client(first.connectionString);
  await client.connect();
  await client.query("alter system set shared_preload_libraries = 'pg_stat_statements'");
  await client.query("create extension pg_stat_statements");
  await client.end();
  await first.stop();
  return start();
}

export interface Prepared {
  call: Client;
  networkID: string;
  /** Logs the owner in once more, from another browser. */
  logIn: () => Promise<Client>;
  roleID: string;
  elsewhereRoleID: string;
  codes: string[];
}

const host = (networkID: string, name: string): HostInput => ({
  networkID,
  name,
  roleID: null,
  address: undefined,
  staticAddresses: [],
  listenPort: 0,
  isLighthouse: false,
  isRelay: false,
  tags: [],
  configOverrides: [],
});

const rule = (port: number) => ({ protocol: "TCP" as const, portRange: { from: port, to: port } });
/** What any server has open, beside the port that tells a change. */
const rulesWith = (port: number) => [{ protocol: "ICMP" as const }, ...[22, 443, 9100, port].map(rule)];

export async function prepareOrganization(
  ctx: Context,
  { url, size, email = "owner@example.com" }: { url: string; size: number; email?: string },
): Promise<Prepared> {
  const owner = await createOwner(ctx, { email, now: ctx.clock() });
  const logIn = async () => {
    const tokens = await signInOwner(ctx, owner, "benchmark");
    return createClient({
      baseURL: url,
      authorization: () => `Bearer ${tokens.userToken} ${tokens.authToken}`,
    });
  };
  const call = await logIn();
  const network = await call(createNetwork, { body: { name: "Fleet", cidr: "10.64.0.0/14" } });
  const [role, elsewhere] = [
    await call(createRole, { body: { name: "Everyone", firewallRules: rulesWith(1) } }),
    await call(createRole, { body: { name: "Elsewhere", firewallRules: rulesWith(1) } }),
  ];
  const lighthouses = Array.from({ length: LIGHTHOUSES }, (_, index) => ({
    ...host(network.id, `lighthouse-${index}`),
    isLighthouse: true,
    staticAddresses: [`192.0.2.${index + 1}:4242`],
    listenPort: 4242,
  }));
  const others = [...lighthouses, { ...host(network.id, "elsewhere"), roleID: elsewhere.id }];
  const own = Array.from({ length: size }, (_, index) => ({
    ...host(network.id, `agent-${index}`),
    roleID: role.id,
    tags: ["env:production", `rack:${index % 50}`],
  }));
  const codes = await createFleetHosts(ctx, owner, { others, own });
  return { call, logIn, networkID: network.id, roleID: role.id, elsewhereRoleID: elsewhere.id, codes };
}

interface Owner {
  organizationID: string;
  userID: string;
  email: string;
}

/** Enrollment codes of the hosts that are to have agents. */
function createFleetHosts(
  ctx: Context,
  { organizationID, userID, email }: Owner,
  { others, own }: { others: HostInput[]; own: HostInput[] },
): Promise<string[]> {
  const author = { organizationID, actor: { type: "user", id: userID, email } as const };
  return ctx.audited(async (tx) => {
    const now = ctx.clock();
    await tx.updateTable("organizations").set({ plan: "pro" }).where("id", "=", organizationID).execute();
    const at = (index: number, property: string) => `hosts[${index}].${property}`;
    const created = await createHosts(ctx, tx, { author, now, hosts: [...others, ...own], at });
    const codes: string[] = [];
    const entries: AuditEntry[] = [];
    for (const row of created.rows.filter(({ name }) => name.startsWith("agent-"))) {
      const made = await createEnrollmentCode(tx, { author, now, host: row, lifetimeSeconds: 3600 });
      codes.push(made.enrollmentCode.code);
      entries.push(made.entry);
    }
    const [first, ...more] = [...created.entries, ...entries];
    if (!first) throw new Error("No host was made");
    return done(codes, first, ...more);
  });
}

/** What has to be closed again, the last first. */
export type Open = (() => unknown)[];

export async function closeAll(open: Open): Promise<void> {
  for (const close of open.toReversed()) await close();
}

export async function startFleetSystem(size: number): Promise<FleetSystem> {
  const open: Open = [];
  try {
    return await start(size, open);
  } catch (error) {
    await closeAll(open);
    throw error;
  }
}

async function start(size: number, open: Open): Promise<FleetSystem> {
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-bench-"));
  open.push(() => rmSync(dataDir, { recursive: true, force: true }));
  // As root the database runs under another account, which has to reach this directory.
  chmodSync(dataDir, 0o711);
  const database = await startDatabase(dataDir);
  open.push(() => database.stop());
  const { connectionString } = database;
  const port = await freePort();
  let server = await serve({ dataDir, port });
  open.push(() => server.stop());
  const pool = new pg.Pool({ connectionString, max: 1 });
  open.push(() => pool.end());
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  const ctx = createContext({ config, connectionString, version: "1.2.3" });
  open.push(() => ctx.dispose());
  const { call, roleID, elsewhereRoleID, codes } = await prepareOrganization(ctx, { url: server.url, size });
  const fleet = startFleet();
  open.push(() => fleet.stop());
  const count = async (text: string) => Number((await pool.query<{ count: string }>(text)).rows[0]?.count);
  const openPort = async (role: string, opened: number) => {
    await call(updateRole, { params: { roleID: role }, body: { firewallRules: rulesWith(opened) } });
  };
  const messages = () => count("select count(*) from seen_signatures");
  return {
    fleet,
    size,
    server: () => server,
    serveAgain: async () => {
      server = await serve({ dataDir, port });
    },
    enroll: async () => {
      await fleet.enroll({ url: server.url, codes, atOnce: ENROLLED_AT_ONCE });
      await pool.query("vacuum analyze");
    },
    openPort: (opened) => openPort(roleID, opened),
    openPortElsewhere: (opened) => openPort(elsewhereRoleID, opened),
    statements: () => count("select sum(calls) as count from pg_stat_statements"),
    messages,
    settle: async () => {
      await sleep(SETTLE_MS);
      await until("the server has taken every message", async () => {
        const { sent, failed } = await fleet.counts();
        return (await messages()) >= sent - failed;
      });
      await sleep(SETTLE_MS);
    },
    stop: () => closeAll(open),
  };
}
