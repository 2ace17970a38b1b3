/** The page "High availability" shows the files that the failover tests run, and no others. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const folder = join(root, "deploy/high-availability");
const page = readFileSync(join(root, "docs/high-availability.md"), "utf8");

it("contains every file of deploy/high-availability, letter by letter", () => {
  const shown = [...page.matchAll(/^`deploy\/high-availability\/([\w.-]+)`:\n\n```\w+\n(.*?)\n```$/gms)];
  const files = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8").trimEnd()]);
  expect(Object.fromEntries(shown.map(([, file, text]) => [file, text]))).toEqual(Object.fromEntries(files));
});

it("shows the measured seconds of every fault that npm run failover causes", () => {
  const source = readFileSync(join(root, "e2e/src/failover/faults.ts"), "utf8");
  const names = [...source.matchAll(/^ {2}name: ["`]([^"`$]+)/gm)].map(([, name = ""]) => name.trim());
  expect(names.length).toBeGreaterThanOrEqual(8);
  expect(names.filter((name) => !page.includes(`| ${name}`))).toEqual([]);
});
