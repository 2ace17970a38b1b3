/** Hosts whose keys changed after a backup, and a server that is restored from it. */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  blockHostV2,
  createClient,
  createEnrollmentCode,
  createTag,
  deleteHost,
  type HostV2,
  updateHostV2,
  updateTag,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type AgentProgram,
  buildAgentProgram,
  createFakeNebula,
  StateDirectory,
  until,
} from "@lightkeeper/agent/testing";
import { createSecretBox } from "../../infrastructure/crypto/secret-box.ts";
import { createTestDatabase, type TestDatabase } from "../database.ts";
import { createFleet, type Fleet } from "../fleet.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";
import { importFrom } from "../../features/transfer/import.ts";
import { exportDatabase, SECRET_KEY, withConnection } from "../transfer-fixtures.ts";

const TIMEOUT_MS = 300_000;
const WAIT_SECONDS = 120;
const { keyID } = createSecretBox(Buffer.from(SECRET_KEY, "base64"));
const TAG = "site:lab";

/** A port that stays the same while the server behind it is replaced. */
async function openPort() {
  let target: string | undefined;
  const sockets = new Set<Socket>();
  const port = createServer((socket) => {
    sockets.add(socket.once("close", () => sockets.delete(socket)).on("error", () => undefined));
    if (target === undefined) return socket.destroy();
    const upstream = connect(Number(new URL(target).port), "127.0.0.1").on("error", () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
    socket.once("close", () => upstream.destroy());
  }).listen(0, "127.0.0.1");
  await once(port, "listening");
  return {
    url: `http://127.0.0.1:${(port.address() as AddressInfo).port}`,
    leadTo: (url: string | undefined) => {
      target = url;
      for (const socket of sockets) socket.destroy();
    },
    close: () => port.close(),
  };
}

/** The built agent with its state, for one host. */
class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), "lk-restored-"));
  readonly directory = new StateDirectory(join(this.folder, "state"));
  readonly nebula = createFakeNebula(this.folder);
  private agent: { kill: (signal: NodeJS.Signals) => Promise<unknown>; output: () => string } | undefined;

  async enroll(host: HostV2, ...flags: string[]): Promise<void> {
    const { code } = await owner.call(createEnrollmentCode, { params: { hostID: host.id } });
    const options = {
      server: port.url,
      code,
      nebula: this.nebula.path,
      "state-dir": this.directory.directory,
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const { code: exitCode, output } = await program.run("enroll", ...args, ...flags);
    if (exitCode !== 0) throw new Error(output);
  }

  start(): void {
    this.agent = program.start("run", "--state-dir", this.directory.directory);
  }

  state() {
    const state = this.directory.peek();
    if (!state) throw new Error("The machine is not enrolled");
    return state;
  }

  has(text: string): boolean {
    const { intended, lastGood } = this.state();
    return intended.config.includes(text) && lastGood?.config.includes(text) === true;
  }

  output(): string {
    return this.agent?.output() ?? "";
  }

  status(): string {
    return readFileSync(this.directory.path("status.json"), "utf8");
  }

  async remove(): Promise<void> {
    await this.agent?.kill("SIGTERM");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

let program: AgentProgram;
let port: Awaited<ReturnType<typeof openPort>>;
let database: TestDatabase;
let server: TestServer;
let owner: Session;
let fleet: Fleet;
const machines: Machine[] = [];
/** Requests that were rejected as unauthorized. */
let rejected = 0;

async function startServer(): Promise<void> {
  server = await startTestServer({
    database,
    environment: { SECRET_KEY, LOG_LEVEL: "info" },
    logTo: { write: (line) => void (rejected += Number(line.includes('"status":401'))) },
  });
  port.leadTo(server.url);
}

async function restore(backup: Buffer[]): Promise<void> {
  port.leadTo(undefined);
  await server.close();
  const file = (async function* () {
    yield* backup;
  })();
  await withConnection(database.url, (db) =>
    importFrom(db, file, { keyID, replace: true, allowOlder: true }),
  );
  await startServer();
}

async function addMachine(): Promise<{ machine: Machine; host: HostV2 }> {
  const host = await fleet.add({ tags: [TAG] });
  const machine = new Machine();
  machines.push(machine);
  await machine.enroll(host);
  machine.start();
  await until(() => machine.state().lastGood !== null, WAIT_SECONDS);
  return { machine, host };
}

/** A change that requires a new certificate, a new signing key and a new configuration. */
async function addTag(host: HostV2, machine: Machine, tag: string): Promise<void> {
  const { counter } = machine.state();
  await owner.call(updateHostV2, {
    params: { hostID: host.id },
    body: { name: host.name, tags: [TAG, tag] },
  });
  await until(() => machine.state().counter > counter, WAIT_SECONDS);
}

/** A change that requires a new signing key and a new configuration. */
async function setDevice(device: string): Promise<void> {
  const configOverrides = [{ key: "tun.dev", value: device }];
  await owner.call(updateTag, { params: { tag: TAG }, body: { configOverrides } });
}

const isOnline = async (host: HostV2) => {
  const [row] = await server.query<{ is_online: boolean; is_drifted: boolean }>(
    "select is_online, is_drifted from hosts where id = $1",
    [host.id],
  );
  return row?.is_online === true && !row.is_drifted;
};

beforeAll(async () => {
  program = await buildAgentProgram();
  port = await openPort();
  database = await createTestDatabase();
  await startServer();
  const session = await server.signUp();
  const authorization = () => `Bearer ${session.userToken} ${session.authToken}`;
  owner = { ...session, call: createClient({ baseURL: port.url, authorization }) };
  fleet = await createFleet(server, owner);
  await owner.call(createTag, { body: { name: TAG } });
}, TIMEOUT_MS);
afterAll(async () => {
  await Promise.all(machines.map((machine) => machine.remove()));
  await server.close();
  await database.drop();
  port.close();
  program.remove();
}, TIMEOUT_MS);

it(
  "every host reconnects and gets new updates, however often its keys changed since the backup",
  async () => {
    const untouched = await addMachine();
    const once = await addMachine();
    const often = await addMachine();
    const enrolledAgain = await addMachine();
    const backup = await exportDatabase(database.url, keyID);

    await addTag(once.host, once.machine, "lost:once");
    for (const tag of ["lost:a", "lost:b", "lost:c", "lost:d"]) await addTag(often.host, often.machine, tag);
    await enrolledAgain.machine.enroll(enrolledAgain.host, "--force");
    const lost = [once, often, enrolledAgain].map(({ machine }) => machine.state());
    await restore(backup);

    const all = [untouched, once, often, enrolledAgain];
    for (const { machine } of [once, often, enrolledAgain]) {
      await until(() => machine.output().includes("restored from a backup"), WAIT_SECONDS);
      const { hostKey, intended } = machine.state();
      expect(lost.map((state) => state.hostKey)).not.toContain(hostKey);
      expect(lost.map((state) => state.intended.certificate)).not.toContain(intended.certificate);
    }
    await setDevice("after0");
    await until(() => all.every(({ machine }) => machine.has("after0")), WAIT_SECONDS);
    await addTag(often.host, often.machine, "kept:a");
    for (const { host } of all)
      await expect.poll(() => isOnline(host), { timeout: WAIT_SECONDS * 1000 }).toBe(true);
  },
  TIMEOUT_MS,
);

it(
  "earlier keys are readable only by their owner, and their number is limited",
  async () => {
    const { machine } = await addMachine();
    for (let change = 0; change < 22; change++) {
      const { counter } = machine.state();
      await setDevice(`change${change}`);
      await until(() => machine.state().counter > counter, WAIT_SECONDS);
    }
    const { previous, counter } = machine.state();
    expect(previous?.map((generation) => generation.counter)).toEqual(
      Array.from({ length: 20 }, (_, index) => counter - 1 - index),
    );
    expect(statSync(machine.directory.path("state.json")).mode & 0o777).toBe(0o600);
  },
  TIMEOUT_MS,
);

it.each([
  ["blocked", blockHostV2],
  ["deleted", deleteHost],
] as const)(
  "a host that was %s tries each earlier key once and then stops",
  async (_what, endpoint) => {
    const { machine, host } = await addMachine();
    await addTag(host, machine, "group:a");
    await addTag(host, machine, "group:b");
    await until(() => machine.has("group:b") || machine.state().previous?.length === 2, WAIT_SECONDS);
    await expect.poll(() => isOnline(host), { timeout: WAIT_SECONDS * 1000 }).toBe(true);
    const { previous = [], hostKey } = machine.state();
    expect(previous).toHaveLength(2);
    rejected = 0;
    await owner.call(endpoint, { params: { hostID: host.id } });
    await until(() => machine.status().includes("no longer accepts this host"), WAIT_SECONDS);
    await setTimeout(3000);
    // The poll, each earlier key, and reports that were under way.
    expect(rejected).toBeGreaterThanOrEqual(1 + previous.length);
    expect(rejected).toBeLessThanOrEqual(1 + previous.length + 3);
    expect(machine.state().hostKey).toBe(hostKey);
    expect(machine.output()).not.toContain("restored from a backup");
  },
  TIMEOUT_MS,
);
