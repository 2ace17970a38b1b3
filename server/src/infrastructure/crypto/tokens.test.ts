import { expect, it } from "vitest";
import { newCode } from "./tokens.ts";

it("a code never starts with a dash", () => {
  const codes = Array.from({ length: 5000 }, newCode);
  expect(codes.filter((code) => code.startsWith("-"))).toEqual([]);
  expect(new Set(codes).size).toBe(codes.length);
});
