/** Plans: what a run does, as numbers that are turned into requests while it runs. */
import fc from "fast-check";
import { allCalls, concurrentCalls, weightOf } from "./calls/all-calls.ts";

export interface Step {
  call: string;
  numbers: number[];
}

/** One step, or several at the same time. */
export type Item = Step[];
export type Plan = Item[];

const NUMBERS = 24;
const ITEMS_MIN = 40;
const ITEMS_MAX = 120;
const BATCH_MAX = 3;

const callOf = (names: readonly string[]) =>
  fc.oneof(...names.map((name) => ({ arbitrary: fc.constant(name), weight: weightOf(name) })));

const numbers = fc.array(fc.nat({ max: 0xffffff }), { minLength: NUMBERS, maxLength: NUMBERS, size: "max" });

const stepOf = (names: readonly string[]) => fc.record({ call: callOf(names), numbers });

/** Requests that make the same choices are about the same objects, so that they get in each other's way. */
const batch = fc
  .record({
    steps: fc.array(stepOf(concurrentCalls), { minLength: 2, maxLength: BATCH_MAX, size: "max" }),
    isSameCall: fc.boolean(),
    isSameChoice: fc.boolean(),
  })
  .map(({ steps, isSameCall, isSameChoice }) =>
    steps.map((step) => ({
      call: isSameCall ? steps[0]!.call : step.call,
      numbers: isSameChoice ? steps[0]!.numbers : step.numbers,
    })),
  );

const item = fc.oneof(
  { arbitrary: fc.tuple(stepOf(Object.keys(allCalls))), weight: 4 },
  { arbitrary: batch, weight: 1 },
);

/** Most calls need some of these. */
const BEGINNING = [
  "createNetwork",
  "createRole",
  "createHostAndCode",
  "createNetwork",
  "createHostAndCode",
  "enrollHost",
  "createTag",
  "createHostAndCode",
  "enrollHost",
];

const plans: fc.Arbitrary<Plan> = fc.noBias(
  fc
    .tuple(
      fc.tuple(...BEGINNING.map((name) => fc.tuple(stepOf([name])))),
      fc.array(item, { minLength: ITEMS_MIN, maxLength: ITEMS_MAX, size: "max" }),
    )
    .map(([beginning, rest]) => [...beginning, ...rest]),
);

/** The same plan for the same seed. */
export function createPlan(seed: number): Plan {
  const [plan] = fc.sample(plans, { seed, numRuns: 1 });
  return plan ?? [];
}
