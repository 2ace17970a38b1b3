/** Kills a real server process at critical moments of a CA rotation. */
import { createHash } from "node:crypto";
import {
  type CaRotation,
  getCaRotation,
  listAuditLogs,
  listCertificateAuthorities,
  rotateCa,
} from "@lightkeeper/contract";
import pg from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import {
  buildServer,
  findFreePort,
  type ServerBuild,
  type ServerProcess,
  startServerProcess,
} from "../../testing/server-processes.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

// Server processes start and stop here, and rotations advance every five seconds.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const SECRET_KEY = Buffer.alloc(32, 9).toString("base64");

let server: TestServer;
let owner: Session;
let fleet: Fleet;
let build: ServerBuild;
let port: number;
let process: ServerProcess;
let agents: TestAgent[];

beforeAll(async () => {
  build = buildServer();
  server = await startTestServer({ environment: { SECRET_KEY } });
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
  port = await findFreePort();
  agents = [];
  for (const name of ["one", "two", "three"]) {
    const { state } = await TestAgent.enrollHost(server.url, owner, (await fleet.add({ name })).id);
    agents.push(new TestAgent(`http://127.0.0.1:${port}`, state));
  }
});
afterAll(async () => {
  await kill();
  await server.close();
  build.remove();
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not true within two minutes: ${String(condition)}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function start(): Promise<void> {
  const databaseURL = server.database.url;
  process = await startServerProcess({ build, port, databaseURL, secretKey: SECRET_KEY });
}
const kill = () => process.kill();

const params = () => ({ networkID: fleet.networkID });
const rotation = async () => (await owner.call(getCaRotation, { params: params() })) as CaRotation;
const stepIs = (step: CaRotation["step"]) => async () => (await rotation()).step === step;

/** Fetches, uses and reports the offered update. */
async function applyUpdate(agent: TestAgent): Promise<void> {
  await until(() => agent.hasUpdate());
  await agent.update((await agent.poll()).action.command as "DoUpdate");
  expect(await agent.hasUpdate()).toBe(false);
  await agent.report({ configHash: createHash("sha256").update(agent.state.config).digest("hex") });
}

it("a CA rotation continues where it stopped in the next process, and no host loses its connection", async () => {
  const [one, two, three] = agents as [TestAgent, TestAgent, TestAgent];
  await start();
  const { newCAID } = await owner.call(rotateCa, { params: params(), body: {} });
  await applyUpdate(one);
  await kill();
  await start();
  await applyUpdate(two);
  // This response is lost together with its process.
  await three.fetchUpdate("DoConfigUpdate");
  await kill();
  await start();

  // Locks the network, so that the process is killed during the next step.
  const lockingClient = new pg.Client({ connectionString: server.database.url });
  await lockingClient.connect();
  await lockingClient.query("begin");
  await lockingClient.query("select from networks where id = $1 for update", [fleet.networkID]);
  await applyUpdate(three);
  await until(async () => {
    const waiting = await server.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like '%from "networks"%for no key update%'`,
    );
    return waiting.length > 0;
  });
  await kill();
  await lockingClient.query("rollback");
  await lockingClient.end();
  expect((await rotation()).step).toBe("TRUST");

  await start();
  await until(stepIs("REISSUE"));
  await applyUpdate(one);
  await kill();
  await start();
  expect((await rotation()).newCAID).toBe(newCAID);
  for (const agent of [two, three]) await applyUpdate(agent);
  // Simulates the minute in which tunnels are renewed.
  await server.query("update host_certificates set superseded_at = superseded_at - interval '2 minutes'");
  await until(stepIs("DONE"));
  for (const agent of agents) await applyUpdate(agent);

  const { data } = await owner.call(listCertificateAuthorities, {
    query: { "filter.networkID": fleet.networkID },
  });
  expect(data.map(({ id, state }) => [id === newCAID, state])).toEqual([
    [false, "RETIRED"],
    [true, "SIGNING"],
  ]);
  const logs = await owner.call(listAuditLogs, { query: { "filter.targetID": fleet.networkID } });
  expect(logs.data.filter(({ event }) => event.type === "SET_NETWORK_CA")).toHaveLength(2);
});
