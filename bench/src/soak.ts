/**
 * Mixed load on two servers behind a load balancer: agents come and go, roles change, CAs rotate and one of the servers
 * is killed again and again. Then both servers are restarted under load. Memory must stay flat, no request may fail
 * unless a server is down, and in the end every host must be in sync.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE_MS, SECOND_MS } from "@lightkeeper/contract/durations";
import { startChurn } from "./churn.ts";
import { createRecorder, type Failure, type Recorder, sortFailures } from "./failures.ts";
import type { Figure } from "./figure.ts";
import { closeAll, type CloseFunctions } from "./fleet-system.ts";
import { type MixedLoad, startMixedLoad } from "./mixed-load.ts";
import { repeat } from "./repeat.ts";
import { startRotations } from "./rotations.ts";
import { checkFleet } from "./soak-checks.ts";
import { type SoakSystem, startSoakSystem } from "./soak-system.ts";

const READERS = 4;
const WRITERS = 2;
const CONSOLES = 10;
const KILL_EVERY_MS = 3 * MINUTE_MS;
/** Even a short run kills a server this often, so that its starts can be compared. */
const KILLS_MIN = 2;
const REPORT_MS = 10 * SECOND_MS;
const RESTARTED_MS = 5 * SECOND_MS;
const FAILURES_SHOWN = 20;

const print = (line: string) => process.stdout.write(`${line}\n`);

async function startLoad({ organizations }: SoakSystem, recorder: Recorder): Promise<MixedLoad> {
  const load = startMixedLoad(recorder);
  for (const organization of organizations) {
    for (let reader = 0; reader < READERS; reader++) load.startReader(organization);
    // Writers change a role of hosts without agents; the agents' role changes less often.
    const { unaffectedRoleID: roleID } = organization;
    for (let writer = 0; writer < WRITERS; writer++) load.startWriter({ ...organization, roleID });
    load.startRuleChanges(organization);
    for (let count = 0; count < CONSOLES; count++) load.openConsole(await organization.logIn());
  }
  return load;
}

function failureFigure(what: string, detail: string, failures: readonly Failure[]): Figure {
  for (const failure of failures.slice(0, FAILURES_SHOWN))
    print(`failed: ${new Date(failure.endedAt).toISOString()} ${failure.what}`);
  return { what, detail, value: failures.length, unit: " requests", limit: 0, limitIs: "at most" };
}

/** The failures of the API clients and the agents since the last call. */
async function takeFailures({ fleet }: SoakSystem, recorder: Recorder): Promise<Failure[]> {
  return [...recorder.failures.splice(0), ...(await fleet.takeFailures())];
}

/** Runs everything at the same time, then waits for the stopped agents and the rotation in progress. */
async function runChanges(system: SoakSystem, recorder: Recorder, durationMs: number) {
  const { servers, url, fleet, hostIDs, organizations } = system;
  const [organization] = organizations;
  const kills = Math.max(KILLS_MIN, Math.floor(durationMs / KILL_EVERY_MS) - 1);
  const churn = startChurn({ organization, url, fleet, hostIDs, recorder });
  const rotations = startRotations(organization, recorder);
  await servers.run(durationMs, kills);
  print("Waiting for the stopped agents and the CA rotation in progress…");
  await churn.stop();
  await rotations.stop();
  return { churn: churn.counts, rotationFigures: rotations.figures() };
}

async function runSoak(system: SoakSystem, minutes: number, open: CloseFunctions): Promise<Figure[]> {
  const { servers, fleet, organizations } = system;
  const recorder = createRecorder();
  const load = await startLoad(system, recorder);
  open.push(() => load.stop());
  const ended = new AbortController();
  const reporting = repeat(0, ended.signal, () => fleet.reportFor(REPORT_MS));
  open.push(async () => {
    ended.abort();
    await reporting;
  });
  const { churn, rotationFigures } = await runChanges(system, recorder, minutes * MINUTE_MS);
  const serverFigures = servers.figures();
  const { unexplained, unexpected, expected } = sortFailures(
    await takeFailures(system, recorder),
    servers.outages,
  );
  const changes = `${recorder.requestCount} requests, ${(await fleet.counts()).sent} agent messages; ${churn.enrolled} hosts created, ${churn.deleted} deleted, ${churn.stopped} agents stopped for a while`;
  await servers.restart();
  await sleep(RESTARTED_MS);
  const restartFailures = await takeFailures(system, recorder);
  await load.stop();
  return [
    failureFigure(
      `failed requests in ${minutes} minutes while both servers were up`,
      `${unexplained.filter((failure) => failure.isRetryable).length} lost connections and 503 responses; ${changes}`,
      unexplained,
    ),
    failureFigure(
      "failed requests while a server was killed, without lost connections and declared 503 responses",
      `${servers.outages.length} kills; ${expected.length} lost connections and 503 responses`,
      unexpected,
    ),
    failureFigure("failed requests while both servers were restarted", "with SIGTERM", restartFailures),
    ...serverFigures,
    ...rotationFigures,
    ...(await checkFleet({ organizations, fleet, deletedCount: churn.deleted })),
  ];
}

export async function soak(minutes: number): Promise<Figure[]> {
  const open: CloseFunctions = [];
  try {
    return await runSoak(await startSoakSystem(open), minutes, open);
  } finally {
    await closeAll(open);
  }
}
