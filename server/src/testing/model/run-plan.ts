/** Runs a plan in new organizations, and compares the server with the model. */
import { type Call, Mismatch, type Reply } from "./call.ts";
import { allCalls } from "./calls/all-calls.ts";
import { createChoices } from "./choices.ts";
import type { Driver } from "./driver.ts";
import type { Item, Plan, Step } from "./plan.ts";
import type { State } from "./state.ts";

/** Checks that compare everything run after this many items, and at the end. */
const ITEMS_PER_CHECK = 60;

export interface Run {
  stepCount: number;
  /** The requests with their responses. */
  log: string[];
  problem: string | undefined;
  /** Whether a response differs, so that the checks aren't needed to find the problem. */
  isFoundByRequests: boolean;
}

export interface RunOptions {
  /** Leave out the checks. */
  isOnlyRequests?: boolean;
}

export interface Runner {
  driver: Driver;
  /** Creates organizations and returns the model of them. */
  createState: (driver: Driver) => Promise<State>;
  /** Throws a Mismatch if something differs. */
  check: (driver: Driver, state: State) => Promise<void>;
  /** A part of the check that tells the possible results of a batch apart. */
  compare: (driver: Driver, state: State) => Promise<void>;
  /** The last requests, before the last check. */
  listLastCalls: (state: State) => Call[];
  checkLast: (driver: Driver, state: State) => Promise<void>;
  /** Deletes what the run has created. */
  remove: (driver: Driver, state: State) => Promise<void>;
}

const describeReply = ({ codes }: Reply) => (codes.length === 0 ? "OK" : codes.join(", "));

/** Some requests are only tried, if nothing else runs at the same time. */
const isTried = ({ numbers }: Step) => (numbers.at(-1) ?? 0) % 10 === 9;

function createCalls(state: State, item: Item): Call[] {
  const isAlone = item.length === 1;
  return item.flatMap((step) => {
    const call = allCalls[step.call]?.(state, createChoices(step.numbers, { isByOwner: !isAlone }));
    return (isAlone && isTried(step) ? call?.tryOut : undefined) ?? call ?? [];
  });
}

function listOrders<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first, index) =>
    listOrders(items.filter((_, other) => other !== index)).map((rest) => [first, ...rest]),
  );
}

interface Answered {
  call: Call;
  reply: Reply;
}

/** Returns the results that exist; throws the first Mismatch if there is none. */
function collect<T, R>(items: readonly T[], work: (item: T) => R): R[] {
  const results: R[] = [];
  let firstMismatch: Mismatch | undefined;
  for (const item of items) {
    try {
      results.push(work(item));
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      firstMismatch ??= error;
    }
  }
  if (results.length === 0 && firstMismatch) throw firstMismatch;
  return results;
}

/** Returns the state after the requests, one after the other. */
function acceptInOrder(state: State, answered: readonly Answered[]): State {
  const after = structuredClone(state);
  for (const { call, reply } of answered) call.accept(after, reply);
  return after;
}

/** The order of audit entries makes no difference. */
const keyOf = ({ organizations }: State): string =>
  JSON.stringify(
    organizations.map((organization) => ({
      ...organization,
      entries: organization.entries.map((entry) => JSON.stringify(entry)).toSorted(),
    })),
  );

/** The replies to concurrent requests must be those of some order. Several orders may lead to different states. */
function acceptInAnyOrder(states: readonly State[], answered: readonly Answered[]): State[] {
  const orders = listOrders(answered);
  const attempts = states.flatMap((state) => orders.map((order) => ({ state, order })));
  try {
    const after = collect(attempts, ({ state, order }) => acceptInOrder(state, order));
    return [...new Map(after.map((state) => [keyOf(state), state])).values()];
  } catch (error) {
    if (!(error instanceof Mismatch) || answered.length === 1) throw error;
    throw new Mismatch(`No order of these requests explains the responses. ${error.message}`);
  }
}

/** The states that pass the check; throws if none does. */
async function narrow(driver: Driver, states: readonly State[], check: Runner["check"]): Promise<State[]> {
  const outcomes = [];
  for (const state of states)
    outcomes.push({
      state,
      error: await check(driver, state).then(
        () => undefined,
        (error: unknown) => error,
      ),
    });
  return collect(outcomes, ({ state, error }) => {
    if (error !== undefined) throw error as Error;
    return state;
  });
}

async function runCalls(driver: Driver, states: State[], calls: Call[], log: string[]): Promise<State[]> {
  if (calls.length === 0) return states;
  const replies = await Promise.all(calls.map((call) => call.send(driver)));
  const answered = calls.map((call, index) => ({ call, reply: replies[index]! }));
  for (const { call, reply } of answered)
    log.push(`${calls.length > 1 ? "  at the same time: " : ""}${call.text} → ${describeReply(reply)}`);
  return acceptInAnyOrder(states, answered);
}

/** What has happened so far, also if an error ends the run. */
interface Progress {
  log: string[];
  isChecking: boolean;
}

async function runItems(
  runner: Runner,
  plan: Plan,
  progress: Progress,
  { isOnlyRequests = false }: RunOptions,
): Promise<void> {
  const { driver, check, compare } = runner;
  let states = [await runner.createState(driver)];
  for (const [index, item] of plan.entries()) {
    states = await runCalls(driver, states, createCalls(states[0]!, item), progress.log);
    // Right after a batch, so that few states are possible. Some differences show only later, such as the valid code.
    if (item.length > 1 && states.length > 1) states = await narrow(driver, states, compare);
    if (isOnlyRequests || (index + 1) % ITEMS_PER_CHECK !== 0) continue;
    progress.isChecking = true;
    states = await narrow(driver, states, check);
    progress.isChecking = false;
  }
  progress.isChecking = true;
  if (!isOnlyRequests) await checkEnd(runner, states);
}

async function checkEnd({ driver, ...runner }: Runner, found: State[]): Promise<void> {
  let states = await narrow(driver, found, runner.check);
  for (const call of runner.listLastCalls(states[0]!)) states = await runCalls(driver, states, [call], []);
  states = await narrow(driver, states, runner.checkLast);
  await runner.remove(driver, states[0]!);
}

export async function runPlan(runner: Runner, plan: Plan, options: RunOptions = {}): Promise<Run> {
  const progress: Progress = { log: [], isChecking: false };
  let problem: string | undefined;
  try {
    await runItems(runner, plan, progress, options);
  } catch (error) {
    problem = error instanceof Mismatch ? error.message : describeError(error);
  }
  const { log, isChecking } = progress;
  return { stepCount: log.length, log, problem, isFoundByRequests: !isChecking };
}

const describeError = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
