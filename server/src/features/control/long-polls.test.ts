import { expect, it } from "vitest";
import { chooseDuration } from "./long-polls.ts";

it("ends polls that started together at different times, none later than the maximum", () => {
  const durations = Array.from({ length: 1000 }, () => chooseDuration(3000));
  expect(Math.max(...durations)).toBeLessThanOrEqual(3000);
  expect(Math.min(...durations)).toBeGreaterThanOrEqual(2000);
  expect(Math.max(...durations) - Math.min(...durations)).toBeGreaterThan(900);
});
