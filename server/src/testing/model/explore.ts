/** Runs plans of different seeds until the time is over, and shrinks the first one that fails. */
import type { Plan } from "./plan.ts";
import type { Run, RunOptions } from "./run-plan.ts";

/** The plan without some items, as the indexes of those that are kept. */
export interface Failure {
  kept: number[];
  run: Run;
}

export const keepItems = (plan: Plan, kept: readonly number[]): Plan =>
  kept.flatMap((index) => [plan[index] ?? []]);

/** A plan with concurrent requests may succeed by chance. */
const TRIES = 2;

/** The start of a problem, without IDs: a smaller plan must not fail for another reason. */
const kindOf = (problem: string | undefined): string | undefined =>
  problem?.replaceAll(/\w+-[A-Z2-7]{26}/g, "ID").slice(0, 40);

/** Removes items as long as the rest still fails: large parts first, then single items. */
export async function shrink(
  plan: Plan,
  failure: Failure,
  { run, isOver }: { run: (plan: Plan, options: RunOptions) => Promise<Run>; isOver: () => boolean },
): Promise<Failure> {
  let best = failure;
  for (let size = Math.ceil(best.kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = best.kept.length - size; start > -size; start -= size) {
      if (isOver()) return best;
      const kept = best.kept.filter((_, index) => index < start || index >= start + size);
      const smaller = keepItems(plan, kept);
      const tries = smaller.some((item) => item.length > 1) ? TRIES : 1;
      for (let attempt = 0; attempt < tries; attempt++) {
        const result = await run(smaller, { isOnlyRequests: failure.run.isFoundByRequests });
        if (kindOf(result.problem) !== kindOf(failure.run.problem)) continue;
        best = { kept, run: result };
        break;
      }
    }
  }
  return best;
}

export function describeFailure(seed: number, { kept, run: { log, problem } }: Failure): string {
  return [
    `The model and the server differ with seed ${seed}:`,
    ...log.map((line) => `  ${line}`),
    problem,
    `To repeat these requests: npm run model -- --seed ${seed} --keep ${kept.join()}`,
    `To repeat the whole run: npm run model -- --seed ${seed}`,
  ].join("\n");
}
