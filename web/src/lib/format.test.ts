import { expect, it } from "vitest";
import { formatClock, formatCount, formatInstant, formatNumber } from "./format.ts";

it("groups the digits of a number", () => expect(formatNumber(1204)).toBe("1,204"));

it("counts in words", () => {
  expect(formatCount(1, "host")).toBe("1 host");
  expect(formatCount(1204, "host")).toBe("1,204 hosts");
  expect(formatCount(0, "address", "addresses")).toBe("0 addresses");
});

it("writes an instant in the reader's time zone", () => {
  const at = new Date(2026, 10, 15, 12, 4);
  expect(formatInstant(at.toISOString())).toBe("Nov 15, 2026, 12:04");
  expect(formatClock(at)).toBe("12:04");
  expect(formatClock(new Date(2026, 10, 15, 0, 4))).toBe("00:04");
});
