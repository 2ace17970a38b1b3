import { describe, expect, it } from "vitest";
import { addressesOf, validateRows, formatHostRows, parseHostRows, summarizeProblems } from "./host-rows.ts";

const context = {
  cidrs: ["100.100.0.0/22"],
  roleNames: ["Database", "Web"],
  tagNames: ["env:prod", "team:web"],
};
const problemsIn = (text: string) => validateRows(text, context).map((row) => row.problems);

describe("reading rows", () => {
  it("accepts one name per line", () => {
    expect(parseHostRows("web-1\n\nweb 2\n")).toEqual([
      { number: 1, name: "web-1", role: "", tags: [], address: "" },
      { number: 2, name: "web 2", role: "", tags: [], address: "" },
    ]);
  });

  it("accepts name, role, tags and address in that order", () => {
    expect(parseHostRows("db-1, Database, env:prod;team:web, 100.100.0.20")).toEqual([
      { number: 1, name: "db-1", role: "Database", tags: ["env:prod", "team:web"], address: "100.100.0.20" },
    ]);
  });

  it("finds columns by the header, in any order and among others", () => {
    expect(parseHostRows("Name;IP;Owner;Tags\ndb-1;100.100.0.20;Ops;env:prod team:web")).toEqual([
      { number: 1, name: "db-1", role: "", tags: ["env:prod", "team:web"], address: "100.100.0.20" },
    ]);
  });

  it("accepts a host named host", () => {
    expect(parseHostRows("host\nhost-2").map(({ name }) => name)).toEqual(["host", "host-2"]);
  });

  it("keeps spaces in a tag and drops duplicate tags", () => {
    expect(parseHostRows("a,,team:web ops;team:web ops")[0]?.tags).toEqual(["team:web ops"]);
  });

  it("reads back what it writes", () => {
    const rows = parseHostRows('"a, b",Web,env:prod;team:web,\nplain,,,100.100.0.9');
    expect(parseHostRows(formatHostRows(rows))).toEqual(rows);
  });
});

describe("problems of a row", () => {
  it("has none if everything exists", () => {
    expect(problemsIn("db-1, database, env:prod, 100.100.0.20\nweb-1")).toEqual([[], []]);
  });

  it.each([
    [",Web", "Enter a name (up to 255 characters)."],
    ["x".repeat(256), "Enter a name (up to 255 characters)."],
    ["a,Ops", "Role Ops doesn’t exist."],
    ["a,,env:prod;env:dev", "Tag env:dev doesn’t exist."],
    ["a,,,100.100.0", "100.100.0 isn’t a valid IP address."],
    ["a,,,100.100.4.1", "100.100.4.1 isn’t a host address in 100.100.0.0/22."],
    ["a,,,100.100.0.0", "100.100.0.0 isn’t a host address in 100.100.0.0/22."],
    ["a,,,100.100.3.255", "100.100.3.255 isn’t a host address in 100.100.0.0/22."],
  ])("of %j: %s", (text, problem) => {
    expect(problemsIn(text)).toEqual([[problem]]);
  });

  it("has none with an address per family, or a range", () => {
    const both = { ...context, cidrs: ["100.100.0.0/22", "fd12::/64"] };
    const text = "a,,,fd12::7 100.100.0.9\nb,,,100.100.2.0/24\nc,,,100.100.2.0/24 fd12::8";
    expect(validateRows(text, both).map(({ problems }) => problems)).toEqual([[], [], []]);
    expect(addressesOf(validateRows(text, both)[0]!)).toEqual(["100.100.0.9", "fd12::7"]);
  });

  it("has one with two addresses of a family, or with a family that the network doesn’t have", () => {
    expect(problemsIn("a,,,100.100.0.9 100.100.0.10")).toEqual([["More than one IPv4 address."]]);
    expect(problemsIn("a,,,fd12::7")).toEqual([
      ["fd12::7 can’t be used: the network has no IPv6 addresses."],
    ]);
  });

  it("names the row with the same address in another form", () => {
    const ipv6 = { ...context, cidrs: ["fd12::/64"] };
    const rows = validateRows("a,,,fd12::7\nb,,,FD12:0:0::7", ipv6);
    expect(rows.map(({ problems }) => problems)).toEqual([[], ["Same address as row 1."]]);
  });

  it("names the row with the same name or address", () => {
    expect(problemsIn("Web-1\nweb-1")).toEqual([[], ["Same name as row 1."]]);
    expect(problemsIn("a,,,100.100.0.9\nb,,,100.100.0.9")).toEqual([[], ["Same address as row 1."]]);
  });

  it("reports nothing about what is still loading", () => {
    const loading = { cidrs: undefined, roleNames: undefined, tagNames: undefined };
    expect(validateRows("a,Ops,env:dev,10.0.0.1", loading)[0]?.problems).toEqual([]);
  });
});

it("rejects no rows, too many rows and invalid rows", () => {
  const problem = (text: string) => summarizeProblems(validateRows(text, context));
  expect(problem("")).toBe("Enter at least one host name.");
  expect(problem(Array.from({ length: 501 }, (_, index) => `h${index}`).join("\n"))).toBe(
    "You can add up to 500 hosts at a time. You entered 501.",
  );
  expect(problem("a,Ops\nb,Ops\nc")).toBe("2 rows need fixing.");
  expect(problem("a")).toBeUndefined();
});
