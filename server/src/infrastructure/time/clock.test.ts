import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createDatabaseClock } from "./clock.ts";
import { HOUR_MS } from "./durations.ts";

/** The database's time after `roundTripMs`, with a clock that is `aheadMs` ahead of this machine's. */
const databaseTime = (aheadMs: number, roundTripMs = 2) => {
  const receivedAt = performance.now();
  return {
    databaseMs: Date.now() + aheadMs - roundTripMs / 2,
    sentAt: receivedAt - roundTripMs,
    receivedAt,
  };
};
const isNear = (at: Date, ms: number) => Math.abs(at.getTime() - ms) < 1000;

describe("the clock", () => {
  it("returns the time of the database, whatever the clock of this machine is set to", () => {
    const clock = createDatabaseClock(() => undefined);
    clock.synchronize(databaseTime(2 * HOUR_MS));
    expect(isNear(clock.now(), Date.now() + 2 * HOUR_MS)).toBe(true);
    const realNow = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(realNow - 5 * HOUR_MS);
    try {
      expect(isNear(clock.now(), realNow + 2 * HOUR_MS)).toBe(true);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it("does not go back for a small correction, and follows a changed clock of the database", () => {
    const steps: number[] = [];
    const clock = createDatabaseClock((ms) => steps.push(Math.round(ms / HOUR_MS)));
    clock.synchronize(databaseTime(0));
    const before = clock.now();
    clock.synchronize(databaseTime(-900));
    expect(clock.now().getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(steps).toEqual([]);
    clock.synchronize(databaseTime(2 * HOUR_MS));
    expect(isNear(clock.now(), Date.now() + 2 * HOUR_MS)).toBe(true);
    clock.synchronize(databaseTime(0));
    expect(isNear(clock.now(), Date.now())).toBe(true);
    expect(steps).toEqual([2, -2]);
  });
});

it("nothing else on the server reads the clock of this machine", () => {
  const isChecked = (name: string) => name.endsWith(".ts") && !/\.test\.ts$|testing|\/clock\.ts$/.test(name);
  const directory = join(import.meta.dirname, "../..");
  const found = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter(isChecked)
    .filter((name) => /\bDate\.now\(|\bnew Date\(\)/.test(readFileSync(join(directory, name), "utf8")));
  expect(found).toEqual([]);
});
