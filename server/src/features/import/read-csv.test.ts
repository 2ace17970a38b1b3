import { describe, expect, it } from "vitest";
import { readCsv } from "./read-csv.ts";

function complaint(content: string): string {
  try {
    readCsv(content);
  } catch (error) {
    const [entry] = (error as { errors?: { code: string; path: string; message: string }[] }).errors ?? [];
    if (!entry) throw error;
    expect(entry).toMatchObject({ code: "ERR_INVALID_VALUE", path: "content" });
    return entry.message;
  }
  throw new Error("The document was not rejected");
}

const valueOf = (content: string) => readCsv(content)[0]?.value;

describe("a CSV document", () => {
  it("has one item per row with its line, a host by default", () => {
    const content = `type,name,network,description
role,Ops,,Operations team
tag,env:prod,,
,one,Main,
host,two,Main,
`;
    expect(readCsv(content)).toEqual([
      { place: "line 2", kind: "role", value: { name: "Ops", description: "Operations team" } },
      { place: "line 3", kind: "tag", value: { name: "env:prod" } },
      { place: "line 4", kind: "host", value: { name: "one", network: "Main" } },
      { place: "line 5", kind: "host", value: { name: "two", network: "Main" } },
    ]);
  });

  it("has numbers, booleans and lists", () => {
    const content =
      'name,tags,staticAddresses,listenPort,isLighthouse,isRelay\none,"a:b, c:d;e:f g:h",1.2.3.4:4242 x.example:1,4242,TRUE,false';
    expect(valueOf(content)).toEqual({
      name: "one",
      tags: ["a:b", "c:d", "e:f", "g:h"],
      staticAddresses: ["1.2.3.4:4242", "x.example:1"],
      listenPort: 4242,
      isLighthouse: true,
      isRelay: false,
    });
  });

  it("keeps invalid numbers and booleans as text, to be rejected later", () => {
    expect(valueOf("name,listenPort,isRelay\none,many,perhaps")).toEqual({
      name: "one",
      listenPort: "many",
      isRelay: "perhaps",
    });
  });

  it("may have spreadsheet formatting: byte order mark, line ends, quotes, empty rows, any case", () => {
    const content =
      '\ufeffName,IPADDRESS,"network"\r\n\r\none,10.0.0.1,"Main, the ""big"" one"\r\n,,\r\n\r\n';
    expect(readCsv(content)).toEqual([
      {
        place: "line 3",
        kind: "host",
        value: { name: "one", ipAddress: "10.0.0.1", network: 'Main, the "big" one' },
      },
    ]);
  });

  it("counts the lines of quoted cells", () => {
    const content = 'type,name,description\nrole,One,"a\nb\nc"\n\nrole,Two,\n';
    expect(readCsv(content).map(({ place }) => place)).toEqual(["line 2", "line 6"]);
  });

  it("treats apostrophes and formulas as text", () => {
    expect(readCsv("name,role\n=1+1,'Ops\n@SUM(A1),-2\n").map(({ value }) => value)).toEqual([
      { name: "=1+1", role: "'Ops" },
      { name: "@SUM(A1)", role: "-2" },
    ]);
  });

  it("keeps a cell beyond the last column, to be rejected later", () => {
    expect(valueOf("name\none,two")).toEqual({ name: "one", "column 2": "two" });
  });

  it("may have no rows", () => {
    expect(readCsv("name,network\n")).toEqual([]);
  });

  it.each([
    ["", "must start with a row of column names"],
    ["\n\n", "must start with a row of column names"],
    ["network\nMain", "the column name is required"],
    ["name,Name\none,two", "duplicate column name"],
  ])("%j is rejected: %s", (content, message) => {
    expect(complaint(content)).toBe(message);
  });

  it("may have empty columns after the last", () => {
    expect(valueOf("name,role,,\none,Ops,,\n")).toEqual({ name: "one", role: "Ops" });
  });

  it.each(["colour", "constructor", ",role"])("with the column %j is rejected", (column) => {
    expect(complaint(`name,${column}\none,two`)).toContain(
      `unknown column ${JSON.stringify(column.split(",")[0])}`,
    );
  });

  it.each(['name\n"one', 'name,role\none,"two"x\n', 'name\no"n"e\n'])(
    "with a misplaced quote, %j, is rejected with its line",
    (content) => {
      expect(complaint(content)).toMatch(/ line 2/);
    },
  );
});
