import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

function importsOf(file: URL, seen = new Set<string>()): Set<string> {
  for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(/ from "([^"]+)";/g)) {
    const target = specifier.startsWith("./") ? new URL(specifier, file).href : specifier;
    if (seen.has(target)) continue;
    seen.add(target);
    if (target !== specifier) importsOf(new URL(target), seen);
  }
  return seen;
}

it("the entry point for browsers imports nothing from Node.js and no signing code", () => {
  const imports = importsOf(new URL("index.ts", import.meta.url));
  const outside = [...imports].filter((specifier) => !specifier.startsWith("file:"));
  expect(outside).toEqual(["yaml"]);
  expect([...imports].some((specifier) => specifier.endsWith("/certificate-v2.ts"))).toBe(true);
  expect([...importsOf(new URL("ca.ts", import.meta.url))]).toContain("node:crypto");
});
