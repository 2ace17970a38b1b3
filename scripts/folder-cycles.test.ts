/** Folders and files form layers: none imports, directly or indirectly, what imports it. Types count too. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

const SOURCE = /\.(tsx?|mjs)$/;
const TEST = /\.test\.tsx?$|(^|\/)testing(\/|\.ts)/;
const IMPORT = /(?:from|import\()\s*"(\.[^"]+)"/g;

type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/** What each group of files imports of other groups. */
function collectImports(
  directory: string,
  groupOf: (path: string) => string,
  { isIncluded = (_name: string) => true } = {},
): Imports {
  const source = join(root, directory);
  const imports = new Map<string, Set<string>>();
  for (const name of readdirSync(source, { recursive: true, encoding: "utf8" })) {
    if (!SOURCE.test(name) || !isIncluded(name)) continue;
    const path = join(source, name);
    const group = groupOf(name);
    const imported = imports.get(group) ?? new Set();
    imports.set(group, imported);
    for (const [, specifier = ""] of readFileSync(path, "utf8").matchAll(IMPORT)) {
      const target = groupOf(relative(source, resolve(dirname(path), specifier)));
      if (target !== group) imported.add(target);
    }
  }
  return imports;
}

const importsByFile = (directory: string) => collectImports(directory, (name) => name);

/** Groups by the first `depth` folders; files beside those folders count as a folder of their own. */
function importsByFolder(directory: string, depth: number): Imports {
  const folderOf = (name: string) => name.split("/").slice(0, depth).join("/");
  return collectImports(directory, folderOf, { isIncluded: (name) => !TEST.test(name) });
}

/** Removes groups that import no remaining group until none is left, or only cycles and what imports them. */
function findCycles(imports: Imports): string[] {
  const remaining = new Set(imports.keys());
  const isFree = (group: string) => ![...(imports.get(group) ?? [])].some((target) => remaining.has(target));
  for (let free = [...remaining].filter(isFree); free.length > 0; free = [...remaining].filter(isFree))
    for (const group of free) remaining.delete(group);
  return [...remaining].toSorted();
}

it("finds folders that import each other", () => {
  const imports = new Map([
    ["hosts", new Set(["tags"])],
    ["tags", new Set(["rules"])],
    ["rules", new Set(["tags"])],
    ["lib", new Set<string>()],
  ]);
  expect(findCycles(imports)).toEqual(["hosts", "rules", "tags"]);
});

it.each([
  ["agent/src", 1, "agent.ts", "dataplane.ts"],
  ["contract/src", 1, "endpoints.ts", "nouns.ts"],
  ["nebula/src", 1, "config.ts", "firewall.ts"],
  ["server/src", 2, "nouns/hosts", "infrastructure/db"],
  ["web/src", 1, "hosts", "references"],
  ["web/src/ui", 1, "overlays", "controls"],
])("%s has no cycle between its folders", (directory, depth, folder, imported) => {
  const imports = importsByFolder(directory, depth);
  expect(imports.get(folder)).toContain(imported);
  expect(findCycles(imports)).toEqual([]);
});

it.each([
  ["agent/src", "state.ts", "credential-generations.ts"],
  ["bench/src", "main.ts", "agents.ts"],
  ["contract/src", "hosts.ts", "host-schemas.ts"],
  ["e2e/src", "csp.test.ts", "browser.ts"],
  ["nebula/src", "config.ts", "firewall.ts"],
  ["postgres/src", "postgres.ts", "cluster.ts"],
  ["scripts", "build.mjs", "build-agent.mjs"],
  ["server/src", "app/app.ts", "nouns/hosts/hosts.routes.ts"],
  ["web/src", "ui/tables/data-table.tsx", "ui/tables/data-table-parts.tsx"],
])("%s has no cycle between its files", (directory, file, imported) => {
  const imports = importsByFile(directory);
  expect(imports.get(file)).toContain(imported);
  expect(findCycles(imports)).toEqual([]);
});
