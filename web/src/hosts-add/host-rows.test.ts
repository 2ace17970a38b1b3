import { describe, expect, it } from "vitest";
import { checkRows, formatHostRows, parseHostRows, refusalOf } from "./host-rows.ts";

const known = { cidr: "100.100.0.0/22", roleNames: ["Database", "Web"], tagNames: ["env:prod", "team:web"] };
const faults = (text: string) => checkRows(text, known).map((row) => row.faults);

describe("reading rows", () => {
  it("takes one name a line", () => {
    expect(parseHostRows("web-1\n\nweb 2\n")).toEqual([
      { number: 1, name: "web-1", role: "", tags: [], address: "" },
      { number: 2, name: "web 2", role: "", tags: [], address: "" },
    ]);
  });

  it("takes name, role, tags and address in that order", () => {
    expect(parseHostRows("db-1, Database, env:prod;team:web, 100.100.0.20")).toEqual([
      { number: 1, name: "db-1", role: "Database", tags: ["env:prod", "team:web"], address: "100.100.0.20" },
    ]);
  });

  it("follows a header, whatever its order and whatever else is there", () => {
    expect(parseHostRows("Name;IP;Owner;Tags\ndb-1;100.100.0.20;Ops;env:prod team:web")).toEqual([
      { number: 1, name: "db-1", role: "", tags: ["env:prod", "team:web"], address: "100.100.0.20" },
    ]);
  });

  it("takes a host that is called host for what it is", () => {
    expect(parseHostRows("host\nhost-2").map(({ name }) => name)).toEqual(["host", "host-2"]);
  });

  it("keeps a tag with a white space in it, and names each tag once", () => {
    expect(parseHostRows("a,,team:web ops;team:web ops")[0]?.tags).toEqual(["team:web ops"]);
  });

  it("reads back what it writes", () => {
    const rows = parseHostRows('"a, b",Web,env:prod;team:web,\nplain,,,100.100.0.9');
    expect(parseHostRows(formatHostRows(rows))).toEqual(rows);
  });
});

describe("the faults of a row", () => {
  it("has none when all is known", () => {
    expect(faults("db-1, database, env:prod, 100.100.0.20\nweb-1")).toEqual([[], []]);
  });

  it.each([
    [",Web", "needs a name of 1 to 255 characters"],
    ["x".repeat(256), "needs a name of 1 to 255 characters"],
    ["a,Ops", "there is no role Ops"],
    ["a,,env:prod;env:dev", "there is no tag env:dev"],
    ["a,,,100.100.0", "100.100.0 is no IPv4 address"],
    ["a,,,100.100.4.1", "100.100.4.1 is not for hosts of 100.100.0.0/22"],
    ["a,,,100.100.0.0", "100.100.0.0 is not for hosts of 100.100.0.0/22"],
    ["a,,,100.100.3.255", "100.100.3.255 is not for hosts of 100.100.0.0/22"],
  ])("of %j is that it %s", (text, fault) => {
    expect(faults(text)).toEqual([[fault]]);
  });

  it("names the row that has the name or the address already", () => {
    expect(faults("Web-1\nweb-1")).toEqual([[], ["has the name of row 1"]]);
    expect(faults("a,,,100.100.0.9\nb,,,100.100.0.9")).toEqual([[], ["has the address of row 1"]]);
  });

  it("waits for what is not known yet", () => {
    const unknown = { cidr: undefined, roleNames: undefined, tagNames: undefined };
    expect(checkRows("a,Ops,env:dev,10.0.0.1", unknown)[0]?.faults).toEqual([]);
  });
});

it("refuses nothing at all, too much at once, and rows with faults", () => {
  const refusal = (text: string) => refusalOf(checkRows(text, known));
  expect(refusal("")).toBe("Paste or type at least one name.");
  expect(refusal(Array.from({ length: 501 }, (_, index) => `h${index}`).join("\n"))).toBe(
    "500 hosts at a time: these are 501.",
  );
  expect(refusal("a,Ops\nb,Ops\nc")).toBe("2 rows have faults: see below.");
  expect(refusal("a")).toBeUndefined();
});
