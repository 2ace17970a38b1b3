/** The folders of the console form layers: no folder imports, directly or indirectly, a folder that imports it. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";

const source = resolve(import.meta.dirname, "../web/src");

const folderOf = (path: string): string => relative(source, path).split("/")[0] ?? "";

function importsByFolder(): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>();
  for (const name of readdirSync(source, { recursive: true, encoding: "utf8" })) {
    if (!/\/.*\.tsx?$/.test(name) || /\.test\.tsx?$/.test(name)) continue;
    const path = join(source, name);
    const folder = folderOf(path);
    const imported = imports.get(folder) ?? new Set();
    imports.set(folder, imported);
    for (const [, specifier = ""] of readFileSync(path, "utf8").matchAll(
      /(?:from|import\()\s*"(\.[^"]+)"/g,
    )) {
      const target = folderOf(resolve(dirname(path), specifier));
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

it("has no cycle between the folders of the console", () => {
  const imports = importsByFolder();
  expect(imports.get("hosts")).toContain("references");
  expect(foldersInCycles(imports)).toEqual([]);
});
