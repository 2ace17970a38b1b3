/**
 * Sends random sequences of requests to the server and to a small model, and compares them. `npm run model` runs for
 * longer, or repeats a run; see CONTRIBUTING.md.
 */
import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MINUTE_MS, startTestServer, type TestServer } from "../server.ts";
import {
  checkAll,
  checkAuditLogs,
  compareLists,
  listLastCalls,
  removeOrganizations,
} from "./checks/check-all.ts";
import { createDriver } from "./driver.ts";
import { describeFailure, keepItems, shrink } from "./explore.ts";
import { createState } from "./initial-state.ts";
import { createPlan } from "./plan.ts";
import { runPlan, type Runner } from "./run-plan.ts";

const { MODEL_SEED, MODEL_MINUTES, MODEL_KEEP } = process.env;
const firstSeed = Number(MODEL_SEED ?? randomInt(2 ** 31));
const isRepeated = MODEL_SEED !== undefined && MODEL_MINUTES === undefined;
const budgetMs = Number(MODEL_MINUTES ?? 1) * MINUTE_MS;
const SHRINK_MS = 5 * MINUTE_MS;
/** A busy machine needs longer for these than the time that is given. */
const STEPS_MIN = 100;

let server: TestServer;
let runner: Runner;
beforeAll(async () => {
  server = await startTestServer({ agentPollMs: 1 });
  runner = {
    driver: createDriver(server),
    createState,
    check: checkAll,
    compare: compareLists,
    listLastCalls,
    checkLast: checkAuditLogs,
    remove: removeOrganizations,
  };
});
afterAll(() => server.close());

async function explore(seed: number): Promise<{ stepCount: number; failure: string | undefined }> {
  const plan = createPlan(seed);
  const kept = MODEL_KEEP?.split(",").map(Number) ?? plan.map((_, index) => index);
  const run = await runPlan(runner, keepItems(plan, kept));
  if (run.problem === undefined) return { stepCount: run.stepCount, failure: undefined };
  const endsAt = performance.now() + SHRINK_MS;
  const smallest = await shrink(
    plan,
    { kept, run },
    {
      run: (smaller, options) => runPlan(runner, smaller, options),
      isOver: () => performance.now() > endsAt,
    },
  );
  return { stepCount: run.stepCount, failure: describeFailure(seed, smallest) };
}

it(
  "agrees with a model of it after random requests",
  async () => {
    const startedAt = performance.now();
    let stepCount = 0;
    let seed = firstSeed;
    /** Whether another run of the average length ends in time. */
    const isTimeLeft = () => {
      const elapsedMs = performance.now() - startedAt;
      return elapsedMs + elapsedMs / (seed - firstSeed) < budgetMs;
    };
    do {
      const result = await explore(seed);
      if (result.failure !== undefined) expect.fail(result.failure);
      stepCount += result.stepCount;
      seed += 1;
    } while (!isRepeated && (isTimeLeft() || stepCount < STEPS_MIN));
    expect(stepCount).toBeGreaterThan(0);
    console.log(`MODEL_SEED=${firstSeed}: ${stepCount} requests in ${seed - firstSeed} runs`);
  },
  budgetMs + SHRINK_MS + 5 * MINUTE_MS,
);
