/** Each table is written by one folder, so that its rules are in one place. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const source = resolve(import.meta.dirname, "../server/src");

/** Migrations, seeds, tests and the transfer of whole databases write any table. */
const EXEMPT = /\.test\.ts$|(^|\/)(testing|seeds|migrations)(\/|\.ts$)|^features\/transfer\//;

const QUERY_BUILDER =
  /\b(?:insertInto|updateTable|deleteFrom|mergeInto|replaceInto)\(\s*(?:"(\w+)"|([^)]*))/g;
const RAW_SQL = /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+"?(\w+)/gi;
const RAW_UPDATE = /\bupdate\s+"?(\w+)"?(?:\s+(?:as\s+)?\w+)?\s+set\b/gi;

const RAW_COMPUTED = /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate|update)\s+\$\{.*/i;

/** `writeRules` writes the table that its caller names, so its calls count as writes of the caller. */
const WRITE_RULES = {
  path: "nouns/firewall-rules/detached-rules.ts",
  call: /\bwriteRules\(\s*\w+,\s*\{\s*table: "(\w+)"/g,
};

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");

/** The names that a variable takes in a loop over a literal array. */
function loopValues(code: string, variable: string): string[] {
  const [, list = ""] = new RegExp(`\\bconst ${variable} of \\[([^\\]]*)\\]`).exec(code) ?? [];
  return [...list.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name);
}

/** Throws if a table is chosen in a way that this text search can't follow. */
function tablesWrittenBy(path: string, text: string): string[] {
  const code = withoutComments(text);
  const unnamed = (found: string) => new Error(`${path} writes a table without its name: ${found}`);
  const built = [...code.matchAll(QUERY_BUILDER)].flatMap(([, table, variable = ""]) => {
    if (table) return [table];
    const tables = /^\w+$/.test(variable) ? loopValues(code, variable) : [];
    if (tables.length === 0) throw unnamed(variable);
    return tables;
  });
  const [computed] = RAW_COMPUTED.exec(code) ?? [];
  if (computed && path !== WRITE_RULES.path) throw unnamed(computed);
  const named = [RAW_SQL, RAW_UPDATE, WRITE_RULES.call].flatMap((pattern) => [...code.matchAll(pattern)]);
  return [...built, ...named.map(([, table = ""]) => table)];
}

function writersByTable(files: Iterable<[path: string, text: string]>): Map<string, Set<string>> {
  const writers = new Map<string, Set<string>>();
  for (const [path, text] of files)
    for (const table of tablesWrittenBy(path, text)) {
      const folder = path.split("/").slice(0, 2).join("/");
      writers.set(table, (writers.get(table) ?? new Set()).add(folder));
    }
  return writers;
}

function serverFiles(): [path: string, text: string][] {
  const paths = readdirSync(source, { recursive: true, encoding: "utf8" });
  return paths
    .filter((path) => path.endsWith(".ts") && !EXEMPT.test(path))
    .map((path) => [path, readFileSync(join(source, path), "utf8")]);
}

it.each([
  ['tx\n  .insertInto("users")', ["users"]],
  ['tx.updateTable("users").set({ role })', ["users"]],
  [
    'for (const table of ["users", "sessions"] as const)\n  await tx.deleteFrom(table)',
    ["users", "sessions"],
  ],
  ["sql`insert into users (id)\n  select id`", ["users"]],
  ["sql`update users older set role = 'owner'`", ["users"]],
  ["sql`with removed as (delete from users returning id) select id`", ["users"]],
  ['writeRules(tx, { table: "tags", rows })', ["tags"]],
  ["sql`select id from users for update of account skip locked`", []],
  ["sql`insert into users (id) values (1) on conflict (id) do update set id = 2`", ["users"]],
  ['/** Never `deleteFrom("users")` here. */ tx.selectFrom("users")', []],
])("finds the tables that %j writes", (text, tables) => {
  expect(tablesWrittenBy("nouns/hosts/x.ts", text)).toEqual(tables);
});

it.each([["tx.deleteFrom(tableOf[kind])"], ["sql`delete from ${sql.table(name)}`"]])(
  "rejects %j, whose table is computed",
  (text) => {
    expect(() => tablesWrittenBy("nouns/hosts/x.ts", text)).toThrow("without its name");
  },
);

it("writes each table from one folder", () => {
  const writers = writersByTable(serverFiles());
  expect(writers.get("organizations")).toEqual(new Set(["nouns/organizations"]));
  expect(writers.get("audit_logs")).toEqual(new Set(["infrastructure/audit-chain"]));
  const shared = [...writers].filter(([, { size }]) => size > 1);
  expect(shared.map(([table, folders]) => `${table}: ${[...folders].join(", ")}`)).toEqual([]);
});
