import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { compactSymbols } from "./compact-symbols.mjs";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lightkeeper-symbols-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Uses variables that the executable shares with the C library: the environment and the time zone. */
const PROGRAM = `
  const { createHash } = require("node:crypto");
  const { createSecureContext } = require("node:tls");
  createSecureContext();
  process.env.TZ = "Asia/Tokyo";
  const child = require("node:child_process").execFileSync("/usr/bin/env", { encoding: "utf8" });
  const { length } = createHash("sha256").update("text").digest();
  console.log(JSON.stringify([process.env.GREETING, child.includes("TZ=Asia/Tokyo"), new Date(0).getHours(), length]));
`;

it("removes most symbols from Node.js, which then still runs", () => {
  const content = readFileSync(process.execPath);
  const { after } = compactSymbols(content);
  expect(after).toBeLessThan(1000);
  // Another name of a variable that the executable shares as __environ.
  expect(content.includes("\0environ\0")).toBe(true);
  const program = join(directory, "node");
  writeFileSync(program, content, { mode: 0o755 });
  const output = execFileSync(program, ["-e", PROGRAM], { env: { GREETING: "hello" }, encoding: "utf8" });
  expect(JSON.parse(output)).toEqual(["hello", true, 9, 32]);
});

it("rejects a file for another processor", () => {
  const content = readFileSync(process.execPath);
  content.writeUInt16LE(8, 18);
  expect(() => compactSymbols(content)).toThrow("unknown processor");
});
