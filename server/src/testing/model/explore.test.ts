import { describe, expect, it } from "vitest";
import { describeFailure, keepItems, shrink } from "./explore.ts";
import { createPlan, type Plan } from "./plan.ts";

const plan: Plan = Array.from({ length: 20 }, (_, index) => [{ call: `call ${index}`, numbers: [index] }]);

/** A server that fails if the plan contains all of these steps. */
const failWith = (needed: readonly number[], problem: string) => async (tried: Plan) => {
  const log = tried.flat().map(({ call }) => call);
  const isFailing = needed.every((index) => log.includes(`call ${index}`));
  return { stepCount: log.length, log, problem: isFailing ? problem : undefined, isFoundByRequests: true };
};

const shrinkWith = async (run: ReturnType<typeof failWith>, isOver = () => false) => {
  const kept = plan.map((_, index) => index);
  return shrink(plan, { kept, run: await failWith([], "a problem")(plan) }, { run, isOver });
};

describe("shrinking", () => {
  it("keeps only the items that a failure needs", async () => {
    const { kept, run } = await shrinkWith(failWith([3, 4, 17], "a problem"));
    expect(kept).toEqual([3, 4, 17]);
    expect(run.log).toEqual(["call 3", "call 4", "call 17"]);
  });

  it("doesn't accept another failure", async () => {
    expect((await shrinkWith(failWith([], "another problem"))).kept).toHaveLength(plan.length);
  });

  it("ends when the time is over", async () => {
    expect((await shrinkWith(failWith([3], "a problem"), () => true)).kept).toHaveLength(plan.length);
  });
});

describe("a plan", () => {
  it("is the same for the same seed, and another one for another seed", () => {
    expect(createPlan(7)).toEqual(createPlan(7));
    expect(createPlan(7)).not.toEqual(createPlan(8));
  });

  it("can be repeated in part, with the command that a failure shows", async () => {
    const run = await failWith([], "a problem")(keepItems(plan, [2, 5]));
    expect(run.log).toEqual(["call 2", "call 5"]);
    expect(describeFailure(7, { kept: [2, 5], run })).toContain("npm run model -- --seed 7 --keep 2,5");
  });
});
