/** Every endpoint, with whatever can be sent to it. A failure names the seed; FUZZ_SEED repeats the run. */
import { endpoints } from "@lightkeeper/contract/endpoints";
import fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";
import { endpointNamed } from "../requests.ts";
import { createFuzzer, type Tally } from "./fuzzer.ts";
import { type Laboratory, openLaboratory } from "./laboratory.ts";
import { plansFor } from "./plan.ts";

const { FUZZ_RUNS, FUZZ_SEED } = process.env;
const numRuns = Number(FUZZ_RUNS ?? 100);
// The short run is the same every time; the long one looks elsewhere every time.
const seed = Number(FUZZ_SEED ?? (FUZZ_RUNS ? Date.now() % 2 ** 31 : 1));
const TIMEOUT_MS = 60_000 + numRuns * 100;

let laboratory: Laboratory;
const tallies = new Map<string, Tally>();

beforeAll(async () => {
  laboratory = await openLaboratory();
});

afterAll(async () => {
  await laboratory.close();
  if (FUZZ_RUNS) console.log(report());
});

function report(): string {
  const lines = [...tallies].map(([name, { requests, accepted }]) =>
    [name.padEnd(32), requests, `${accepted} × 2xx`, `${requests - accepted} × 4xx`].join("  "),
  );
  return [`FUZZ_SEED=${seed}`, ...lines].join("\n");
}

describe(`an endpoint, asked with FUZZ_SEED=${seed}`, () => {
  it.each([...endpoints.keys()])(
    "%s: never breaks, and changes nothing where it refuses",
    async (name) => {
      const endpoint = endpointNamed(name);
      const fuzzer = await createFuzzer(laboratory, name, endpoint);
      tallies.set(name, fuzzer.tally);
      await fc.assert(fc.asyncProperty(plansFor(endpoint), fuzzer.attempt), { numRuns, seed });
    },
    TIMEOUT_MS,
  );
});
