/** Folders form layers: no folder imports, directly or indirectly, a folder that imports it. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** The first `depth` folders of a path; files beside those folders count as a folder of their own. */
function folderOf(source: string, path: string, depth: number): string {
  const parts = relative(source, path).split("/");
  return parts.slice(0, Math.min(depth, parts.length)).join("/");
}

function importsByFolder(directory: string, depth: number): Map<string, Set<string>> {
  const source = join(root, directory);
  const imports = new Map<string, Set<string>>();
  for (const name of readdirSync(source, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(name) || /\.test\.tsx?$|(^|\/)testing(\/|\.ts)/.test(name)) continue;
    const path = join(source, name);
    const folder = folderOf(source, path, depth);
    const imported = imports.get(folder) ?? new Set();
    imports.set(folder, imported);
    for (const [, specifier = ""] of readFileSync(path, "utf8").matchAll(
      /(?:from|import\()\s*"(\.[^"]+)"/g,
    )) {
      const target = folderOf(source, resolve(dirname(path), specifier), depth);
      if (target !== folder) imported.add(target);
    }
  }
  return imports;
}

/** Removes folders that import no remaining folder until none is left, or only cycles and what imports them. */
function foldersInCycles(imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const remaining = new Set(imports.keys());
  const isFree = (folder: string) => ![...(imports.get(folder) ?? [])].some((other) => remaining.has(other));
  for (let free = [...remaining].filter(isFree); free.length > 0; free = [...remaining].filter(isFree))
    for (const folder of free) remaining.delete(folder);
  return [...remaining].toSorted();
}

it("finds folders that import each other", () => {
  const imports = new Map([
    ["hosts", new Set(["tags"])],
    ["tags", new Set(["rules"])],
    ["rules", new Set(["tags"])],
    ["lib", new Set<string>()],
  ]);
  expect(foldersInCycles(imports)).toEqual(["hosts", "rules", "tags"]);
});

it.each([
  ["contract/src", 1, "endpoints.ts", "hosts.ts"],
  ["nebula/src", 1, "config.ts", "firewall.ts"],
  ["server/src", 2, "nouns/hosts", "infrastructure/db"],
  ["web/src", 1, "hosts", "references"],
  ["web/src/ui", 1, "overlays", "controls"],
])("%s has no cycle between its folders", (directory, depth, folder, imported) => {
  const imports = importsByFolder(directory, depth);
  expect(imports.get(folder)).toContain(imported);
  expect(foldersInCycles(imports)).toEqual([]);
});
