import { expect, it } from "vitest";
import { createRequestID, isRequestID } from "./request-id.ts";

it("creates valid request IDs that differ", () => {
  const ids = Array.from({ length: 100 }, createRequestID);
  expect(ids.every(isRequestID)).toBe(true);
  expect(new Set(ids).size).toBe(100);
});

it("accepts the request IDs of proxies", () => {
  expect(isRequestID("0b8a9d9c-5c4e-4f3a-9d6f-1f2e3d4c5b6a")).toBe(true);
  expect(isRequestID("5e884898da28047151d0e56f8dc62927")).toBe(true);
});

it.each([
  ["none", undefined],
  ["several", ["req-12345678", "req-12345678"]],
  ["an empty one", ""],
  ["a short one", "1234567"],
  ["a long one", "a".repeat(65)],
  ["a line break", "req-12345678\n"],
  ["a space", "req-1234 5678"],
  ["a quote", 'req-1234"5678'],
  ["a letter outside ASCII", "req-1234567ä"],
  ["a list", "req-12345678, req-12345678"],
])("rejects %s", (_case, text) => {
  expect(isRequestID(text)).toBe(false);
});
