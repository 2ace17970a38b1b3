/** Sends generated requests to every endpoint. The seed is printed; set FUZZ_SEED to repeat the run. */
import { randomInt } from "node:crypto";
import { endpoints } from "@lightkeeper/contract/endpoints";
import fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";
import { endpointNamed } from "../requests.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";
import { createFuzzer, type Tally } from "./fuzzer.ts";
import { type FuzzFixture, createFuzzFixture } from "./fuzz-fixture.ts";
import { plansFor } from "./plan.ts";

const { FUZZ_RUNS, FUZZ_SEED } = process.env;
const numRuns = Number(FUZZ_RUNS ?? 25);
const seed = Number(FUZZ_SEED ?? randomInt(2 ** 31));
const TIMEOUT_MS = MINUTE_MS + numRuns * 100;

let fixture: FuzzFixture;
const tallies = new Map<string, Tally>();

beforeAll(async () => {
  fixture = await createFuzzFixture();
});

afterAll(async () => {
  await fixture.close();
  console.log(FUZZ_RUNS ? report() : `FUZZ_SEED=${seed}`);
});

function report(): string {
  const lines = [...tallies].map(([name, { requests, accepted }]) =>
    [name.padEnd(32), requests, `${accepted} × 2xx`, `${requests - accepted} × 4xx`].join("  "),
  );
  return [`FUZZ_SEED=${seed}`, ...lines].join("\n");
}

describe("an endpoint", () => {
  it.each([...endpoints.keys()])(
    "%s: never fails with 5xx, and changes nothing when it rejects a request",
    async (name) => {
      const endpoint = endpointNamed(name);
      const fuzzer = await createFuzzer(fixture, name, endpoint);
      tallies.set(name, fuzzer.tally);
      await fc.assert(fc.asyncProperty(plansFor(endpoint), fuzzer.attempt), {
        numRuns,
        seed,
        includeErrorInReport: true,
      });
    },
    TIMEOUT_MS,
  );
});
