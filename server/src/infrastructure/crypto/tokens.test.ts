import { expect, it } from "vitest";
import { newCode } from "./tokens.ts";

it("a code never begins with a dash, as one in 64 tokens does", () => {
  const codes = Array.from({ length: 5000 }, newCode);
  expect(codes.filter((code) => code.startsWith("-"))).toEqual([]);
  expect(new Set(codes).size).toBe(codes.length);
});
