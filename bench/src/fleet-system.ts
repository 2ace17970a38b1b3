/**
 * A `serve` process with one organization and a network of polling agents. Its embedded PostgreSQL is durable and counts
 * statements.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, createClient, createNetwork, createRole, updateRole } from "@lightkeeper/contract";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@lightkeeper/postgres";
import { type Context, createContext, readConfig } from "@lightkeeper/server/app";
import { createHostsWithCodes, createOwner, type HostInput, logInOwner } from "@lightkeeper/server/seeds";
import { type Fleet, startFleet } from "./fleet-client.ts";
import { freePort } from "@lightkeeper/e2e/dataplane";
import { serve, type ServeProcess } from "./serve-process.ts";
import { until } from "./until.ts";

const ENROLL_CONCURRENCY = 16;
const LIGHTHOUSES = 3;
const SETTLE_MS = 500;

export interface FleetSystem {
  fleet: Fleet;
  size: number;
  /** The owner of the organization. */
  call: Client;
  networkID: string;
  /** On the same database as the server. */
  ctx: Context;
  query: <Row extends pg.QueryResultRow>(text: string) => Promise<Row[]>;
  /** The current server process. */
  server: () => ServeProcess;
  /** Starts the server again after it was killed. */
  serveAgain: () => Promise<void>;
  enroll: () => Promise<void>;
  /** Opens a port on all hosts with an agent. */
  openPort: (port: number) => Promise<void>;
  /** Opens a port on a host without an agent in the same network. */
  openUnaffectedPort: (port: number) => Promise<void>;
  /** Number of statements in the database so far. */
  statements: () => Promise<number>;
  /** Number of agent messages that the server has received. */
  messages: () => Promise<number>;
  /** Waits until all agents poll and the server has handled their messages. */
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
  /** Logs the owner in again, like in another browser. */
  logIn: () => Promise<Client>;
  roleID: string;
  unaffectedRoleID: string;
  codes: string[];
}

const host = (networkID: string, name: string): HostInput => ({
  networkID,
  name,
  roleID: null,
  addresses: [],
  staticAddresses: [],
  listenPort: 0,
  isLighthouse: false,
  isRelay: false,
  tags: [],
  configOverrides: [],
  description: "",
  owner: "",
});

const rule = (port: number) => ({ protocol: "TCP" as const, portRange: { from: port, to: port } });
/** Typical rules, plus the port that identifies a change. */
const rulesWith = (port: number) => [{ protocol: "ICMP" as const }, ...[22, 443, 9100, port].map(rule)];

export async function prepareOrganization(
  ctx: Context,
  { url, size, email = "owner@example.com" }: { url: string; size: number; email?: string },
): Promise<Prepared> {
  const owner = await createOwner(ctx, { email, now: ctx.clock() });
  const logIn = async () => {
    const tokens = await logInOwner(ctx, owner, "benchmark");
    return createClient({
      baseURL: url,
      authorization: () => `Bearer ${tokens.userToken} ${tokens.authToken}`,
    });
  };
  const call = await logIn();
  const network = await call(createNetwork, { body: { name: "Fleet", cidr: "10.64.0.0/14" } });
  const [role, unaffectedRole] = [
    await call(createRole, { body: { name: "Agents", firewallRules: rulesWith(1) } }),
    await call(createRole, { body: { name: "No agents", firewallRules: rulesWith(1) } }),
  ];
  const lighthouses = Array.from({ length: LIGHTHOUSES }, (_, index) => ({
    ...host(network.id, `lighthouse-${index}`),
    isLighthouse: true,
    staticAddresses: [`192.0.2.${index + 1}:4242`],
    listenPort: 4242,
  }));
  const hostWithoutAgent = { ...host(network.id, "no-agent"), roleID: unaffectedRole.id };
  const agentHosts = Array.from({ length: size }, (_, index) => ({
    ...host(network.id, `agent-${index}`),
    roleID: role.id,
    tags: ["env:production", `rack:${index % 50}`],
  }));
  const codesByName = await createHostsWithCodes(ctx, owner, [
    ...lighthouses,
    hostWithoutAgent,
    ...agentHosts,
  ]);
  const codes = agentHosts.flatMap(({ name }) => codesByName.get(name) ?? []);
  return { call, logIn, networkID: network.id, roleID: role.id, unaffectedRoleID: unaffectedRole.id, codes };
}

/** Called in reverse order. */
export type CloseFunctions = (() => unknown)[];

export async function closeAll(open: CloseFunctions): Promise<void> {
  for (const close of open.toReversed()) await close();
}

export async function startFleetSystem(size: number): Promise<FleetSystem> {
  const open: CloseFunctions = [];
  try {
    return await start(size, open);
  } catch (error) {
    await closeAll(open);
    throw error;
  }
}

async function settle({
  fleet,
  size,
  messages,
}: Pick<FleetSystem, "fleet" | "size" | "messages">): Promise<void> {
  await sleep(SETTLE_MS);
  await until("every agent polls and the server has received every message", async () => {
    const { sent, failed, polling } = await fleet.counts();
    return polling >= size && (await messages()) >= sent - failed;
  });
  await sleep(SETTLE_MS);
}

async function start(size: number, open: CloseFunctions): Promise<FleetSystem> {
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-bench-"));
  open.push(() => rmSync(dataDir, { recursive: true, force: true }));
  // As root, the database runs as another user, who needs access to this directory.
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
  const { call, networkID, roleID, unaffectedRoleID, codes } = await prepareOrganization(ctx, {
    url: server.url,
    size,
  });
  const fleet = startFleet();
  open.push(() => fleet.stop());
  const count = async (text: string) => Number((await pool.query<{ count: string }>(text)).rows[0]?.count);
  const openPort = async (role: string, openedPort: number) => {
    await call(updateRole, { params: { roleID: role }, body: { firewallRules: rulesWith(openedPort) } });
  };
  const messages = () => count("select count(*) from seen_signatures");
  return {
    fleet,
    size,
    call,
    networkID,
    ctx,
    query: async (text) => (await pool.query(text)).rows,
    server: () => server,
    serveAgain: async () => {
      server = await serve({ dataDir, port });
    },
    enroll: async () => {
      await fleet.enroll({ url: server.url, codes, concurrency: ENROLL_CONCURRENCY });
      await pool.query("vacuum analyze");
    },
    openPort: (openedPort) => openPort(roleID, openedPort),
    openUnaffectedPort: (openedPort) => openPort(unaffectedRoleID, openedPort),
    statements: () => count("select sum(calls) as count from pg_stat_statements"),
    messages,
    settle: () => settle({ fleet, size, messages }),
    stop: () => closeAll(open),
  };
}
