/** Requests of 10 clients to one `serve` process, compared with the same work on a bare HTTP server. */
import { fork } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@lightkeeper/e2e/dataplane";
import { startEmbeddedPostgres } from "@lightkeeper/postgres";
import { createContext, readConfig } from "@lightkeeper/server/app";
import { createOwner, logInOwner, seed } from "@lightkeeper/server/seeds";
import pg from "pg";
import { BARE_ARGUMENT } from "./bare-server.ts";
import { type Figure, median } from "./figure.ts";
import { type CloseFunctions, closeAll } from "./fleet-system.ts";
import { type LoadRequest, percentile, sendFor } from "./load-clients.ts";
import { serve, type ServeProcess } from "./serve-process.ts";

const HOSTS = 1000;
const CLIENTS = 10;
const ROUNDS = 5;
const ROUND_MS = 3000;
/** Until the code of both servers is compiled. */
const WARM_UP_MS = 6000;
const LIST_SHARE_LIMIT = 0.6;
const CREATE_PER_SECOND_LIMIT = 500;
const CREATE_P99_MS_LIMIT = 50;

interface RequestsSystem {
  server: ServeProcess;
  bareURL: string;
  authorization: string;
  networkID: string;
}

function startBareServer(connectionString: string, organizationID: string) {
  const child = fork(import.meta.filename, [BARE_ARGUMENT, connectionString, organizationID]);
  const port = new Promise<number>((resolve, reject) => {
    child.once("message", (message) => resolve(Number(message)));
    child.once("exit", (code) => reject(new Error(`The bare server exited with ${code}`)));
  });
  return { port, stop: () => child.disconnect() };
}

async function start(open: CloseFunctions): Promise<RequestsSystem> {
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-bench-"));
  open.push(() => rmSync(dataDir, { recursive: true, force: true }));
  // As root, the database runs as another user, who needs access to this directory.
  chmodSync(dataDir, 0o711);
  const database = await startEmbeddedPostgres({ dataDir, database: "lightkeeper", log: () => undefined });
  open.push(() => database.stop());
  const { connectionString } = database;
  const server = await serve({ dataDir, port: await freePort() });
  open.push(() => server.stop());
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  const ctx = createContext({ config, connectionString, version: "1.2.3" });
  open.push(() => ctx.dispose());
  const owner = await createOwner(ctx, { email: "owner@example.com", now: ctx.clock() });
  await seed(ctx, { organizationID: owner.organizationID, hosts: HOSTS, now: ctx.clock() });
  const { userToken, authToken } = await logInOwner(ctx, owner, "benchmark");
  const authorization = `Bearer ${userToken} ${authToken}`;
  const bare = startBareServer(connectionString, owner.organizationID);
  open.push(() => bare.stop());
  const client = new pg.Client(connectionString);
  await client.connect();
  await client.query("vacuum analyze");
  await client.end();
  const response = await fetch(`${server.url}/v2/networks`, {
    method: "POST",
    headers: { authorization },
    body: JSON.stringify({ name: "Benchmark", cidrs: ["10.128.0.0/10"] }),
  });
  const { data } = (await response.json()) as { data: { id: string } };
  return { server, bareURL: `http://127.0.0.1:${await bare.port}`, authorization, networkID: data.id };
}

/** In turn, so that noise affects both. */
async function sendInTurn(product: LoadRequest, bare: LoadRequest) {
  const [productRates, bareRates]: [number[], number[]] = [[], []];
  const times: number[] = [];
  await sendFor(WARM_UP_MS, CLIENTS, product);
  await sendFor(WARM_UP_MS, CLIENTS, bare);
  for (let round = 0; round < ROUNDS; round++) {
    const result = await sendFor(ROUND_MS, CLIENTS, product);
    productRates.push(result.perSecond);
    times.push(...result.times);
    bareRates.push((await sendFor(ROUND_MS, CLIENTS, bare)).perSecond);
  }
  return {
    perSecond: median(productRates),
    barePerSecond: median(bareRates),
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}

type Comparison = Awaited<ReturnType<typeof sendInTurn>>;

const detailOf = ({ perSecond, barePerSecond, p50, p99 }: Comparison) =>
  `${perSecond.toFixed(0)} against ${barePerSecond.toFixed(0)} a second, ${CLIENTS} clients; p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;

async function measureList({ server, bareURL, authorization }: RequestsSystem): Promise<Figure[]> {
  const compared = await sendInTurn(
    { method: "GET", url: `${server.url}/v2/hosts?pageSize=25`, headers: { authorization } },
    { method: "GET", url: `${bareURL}/` },
  );
  return [
    {
      what: "of the rate of a bare server and one SELECT, for a list of 25 hosts",
      detail: detailOf(compared),
      value: compared.perSecond / compared.barePerSecond,
      unit: "×",
      limit: LIST_SHARE_LIMIT,
      limitIs: "at least",
    },
  ];
}

async function measureCreation({
  server,
  bareURL,
  authorization,
  networkID,
}: RequestsSystem): Promise<Figure[]> {
  let created = 0;
  const body = () => JSON.stringify({ name: `created-${++created}`, networkID });
  const compared = await sendInTurn(
    { method: "POST", url: `${server.url}/v2/hosts`, headers: { authorization }, body },
    { method: "POST", url: `${bareURL}/`, body },
  );
  const detail = detailOf(compared);
  return [
    {
      what: "hosts created a second in one network",
      detail,
      value: compared.perSecond,
      unit: " a second",
      limit: CREATE_PER_SECOND_LIMIT,
      limitIs: "at least",
    },
    {
      what: "for 99 % of the requests that create a host",
      detail,
      value: compared.p99,
      unit: " ms",
      limit: CREATE_P99_MS_LIMIT,
      limitIs: "at most",
    },
  ];
}

export async function requests(): Promise<Figure[]> {
  const open: CloseFunctions = [];
  try {
    const system = await start(open);
    return [...(await measureList(system)), ...(await measureCreation(system))];
  } finally {
    await closeAll(open);
  }
}
