import { expect, it } from "vitest";
import { type Figure, report } from "./figure.ts";
import { runBenchmarks } from "./run-benchmarks.ts";

const seconds = (what: string, value: number, limit = 8): Figure => ({
  what,
  detail: "in a test",
  value,
  unit: " s",
  limit,
  limitIs: "at most",
});

/** A benchmark that measures one of these lists of figures in each run. */
const measures =
  (...runs: Figure[][]) =>
  async () =>
    runs.shift() ?? [];

async function run(...runs: Figure[][]) {
  const printed: string[] = [];
  const figures = await runBenchmarks({ agents: measures(...runs) }, (line) => printed.push(line));
  return { figures: figures.map(({ what, value }) => [what, value]), lines: report(figures), printed };
}

it("runs a benchmark once if its figures are within their limits", async () => {
  const { figures, printed } = await run([seconds("change", 5)], [seconds("change", 4)]);
  expect(figures).toEqual([["change", 5]]);
  expect(printed).toEqual([
    expect.stringMatching(/^Running agents… \(\d+ verifications a second on one core\)$/),
  ]);
});

it("measures a figure that is over its limit again, and shows both values", async () => {
  const { figures, lines, printed } = await run(
    [seconds("change", 12), seconds("reconnect", 7)],
    [seconds("change", 5), seconds("reconnect", 9)],
  );
  expect(figures).toEqual([
    ["change", 5],
    ["reconnect", 7],
  ]);
  expect(printed).toHaveLength(2);
  expect(lines.join("\n")).toContain("measured again once, after 12.00 s in the first run");
  expect(lines.at(-1)).toBe("All 2 figures are within their limits.");
});

it("keeps the second value of a figure that stays over its limit", async () => {
  const { figures, lines } = await run([seconds("change", 9)], [seconds("change", 12)]);
  expect(figures).toEqual([["change", 12]]);
  expect(lines.at(-1)).toBe("1 of 1 figures are over their limits.");
});

it("doesn't repeat a benchmark in which something happened that must never happen", async () => {
  const { figures, printed } = await run([seconds("outage", 1, 0)], [seconds("outage", 0, 0)]);
  expect(figures).toEqual([["outage", 1]]);
  expect(printed).toHaveLength(1);
});

it.each([
  ["first", 1, 0],
  ["second", 0, 1],
])("counts what must never happen, also if it happens only in the %s run", async (_which, first, second) => {
  const { figures, lines } = await run(
    [seconds("change", 12), seconds("outage", first, 0)],
    [seconds("change", 5), seconds("outage", second, 0)],
  );
  expect(figures).toEqual([
    ["change", 5],
    ["outage", 1],
  ]);
  expect(lines.at(-1)).toBe("1 of 2 figures are over their limits.");
});

it("rejects a benchmark without figures", async () => {
  await expect(run([])).rejects.toThrow("agents measured nothing");
});
