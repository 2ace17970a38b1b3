import { describe, expect, it } from "vitest";
import { createStatementNames } from "./statement-names.ts";

const MANY = 100;

function nameAfterUses(sql: string, names = createStatementNames()): string | undefined {
  let name: string | undefined;
  for (let use = 0; use < MANY; use++) name = names.nameOf(sql);
  return name;
}

describe("a statement", () => {
  it("gets a name only if it runs often, always the same one", () => {
    const names = createStatementNames();
    expect(names.nameOf("select id from hosts")).toBeUndefined();
    const name = nameAfterUses("select id from hosts", names);
    expect(name).toMatch(/^[\w-]{22}$/);
    expect(names.nameOf("select id from hosts")).toBe(name);
    expect(nameAfterUses("select id from roles", names)).not.toBe(name);
  });

  it.each([
    ["returns all columns, which a migration may change", "select * from hosts"],
    ["returns all columns of a table", 'select "hosts".* from hosts'],
    ["returns all columns that it has changed", "update hosts set tags = $1 returning *"],
    [
      "uses all columns that it has changed",
      "with changed as (update hosts set tags = $1 returning *) select 1",
    ],
    ["returns all columns of a table, and others", "select hosts.*, roles.name from hosts"],
    ["searches for a text, on which the best plan depends", "select id from hosts where name like $1"],
    ["searches in a text", "select id from hosts where strpos(name, $1) > 0"],
    ["filters by tags, on which the best plan depends", "select id from hosts where tags @> $1"],
    ["has no plan", "commit"],
  ])("stays unnamed if it %s", (_reason, sql) => {
    expect(nameAfterUses(sql)).toBeUndefined();
  });

  it.each([
    ["counts rows", "select count(*) from hosts"],
    [
      "multiplies",
      "select id from hosts where expires_at <= $1 + 30 * interval '1 day' and 2 * (select 1) < 3",
    ],
  ])("gets a name if it %s", (_what, sql) => {
    expect(nameAfterUses(sql)).toBeDefined();
  });

  it("stays unnamed if there are too many names already", () => {
    const names = createStatementNames();
    for (let index = 0; index < 150; index++) nameAfterUses(`select ${index}`, names);
    expect(nameAfterUses("select id from hosts", names)).toBeUndefined();
    expect(names.nameOf("select 0")).toBeDefined();
  });
});
