import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { measureCpuMs } from "../../testing/cpu.ts";
import { readYaml } from "./read-yaml.ts";

/** Returns the problems of an invalid document; throws if it is valid. */
function complaint(content: string): string {
  try {
    readYaml(content);
  } catch (error) {
    const [entry] = (error as { errors?: { code: string; path: string; message: string }[] }).errors ?? [];
    if (!entry) throw error;
    expect(entry).toMatchObject({ code: "ERR_INVALID_VALUE", path: "content" });
    return entry.message;
  }
  throw new Error("The document was not rejected");
}

describe("a YAML document", () => {
  it("has lists of items with their places", () => {
    const content = `
roles:
  - name: Ops # they run it
tags: [{name: "env:prod"}]
hosts:
  - {name: one, network: Main, tags: [env:prod, team:a]}
  - name: two
    listenPort: 4242
    isRelay: true
    role:
`;
    expect(readYaml(content)).toEqual([
      { place: "roles[0]", kind: "role", value: { name: "Ops" } },
      { place: "tags[0]", kind: "tag", value: { name: "env:prod" } },
      {
        place: "hosts[0]",
        kind: "host",
        value: { name: "one", network: "Main", tags: ["env:prod", "team:a"] },
      },
      {
        place: "hosts[1]",
        kind: "host",
        value: { name: "two", listenPort: 4242, isRelay: true, role: null },
      },
    ]);
  });

  it("may have a byte order mark, Windows line ends and a document start", () => {
    const things = [{ place: "hosts[0]", kind: "host", value: { name: "one" } }];
    expect(readYaml("\ufeffhosts:\r\n  - name: one\r\n")).toEqual(things);
    expect(readYaml("---\nhosts:\n  - name: one\n...\n")).toEqual(things);
    expect(readYaml("hosts:\nroles: []\n")).toEqual([]);
  });

  it("reads what another library writes", () => {
    const value = fc.dictionary(
      fc.string(),
      fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.boolean(), fc.constant(null)),
    );
    fc.assert(
      fc.property(fc.array(value), (hosts) => {
        const expected = hosts.map((value, index) => ({ place: `hosts[${index}]`, kind: "host", value }));
        expect(readYaml(stringify({ hosts }, { aliasDuplicateObjects: false }))).toEqual(expected);
      }),
    );
  });

  it.each([
    ["", "must be a map of roles, tags, hosts"],
    ["- name: one", "must be a map of roles, tags, hosts"],
    ["hosts: many", "hosts must be a list"],
    ["hosts: []\nhost: []", 'unknown key "host"; valid keys: roles, tags, hosts'],
    ["constructor: []", 'unknown key "constructor"; valid keys: roles, tags, hosts'],
    ["hosts:\n  - name: one\n    name: two", 'line 3: duplicate key "name"'],
    ["hosts: []\nroles: []\nhosts: []", 'line 3: duplicate key "hosts"'],
    ["hosts:\n  - &one {name: one}\n  - *one", "line 2: anchors (&) aren’t allowed"],
    ["hosts:\n  - *one", "line 2: aliases (*) aren’t allowed"],
    ["hosts: !!set {}", "line 1: type tags (!) aren’t allowed"],
    ["? hosts\n: []", "line 1: complex keys (?) aren’t allowed"],
    ["%YAML 1.1\n---\nhosts: []", "line 1: directives (%) aren’t allowed"],
    ["hosts: []\n---\nhosts: []\n---\n", "line 4: only one document is allowed"],
    ["hosts:\n  - name: one\n ]", "line 3: unexpected closing bracket"],
    [`hosts: ${"[".repeat(40)}`, "line 1: nested too deeply"],
  ])("%j is rejected: %s", (content, message) => {
    expect(complaint(content)).toBe(message);
  });

  it.each(["hosts: [", 'hosts:\n  - name: "one', "hosts:\n\t- name: one", "hosts: []\n---\nhosts: []"])(
    "%j is rejected with its line",
    (content) => {
      expect(complaint(content)).toMatch(/^line \d: /);
    },
  );

  it("accepts text that only looks like an anchor", () => {
    const [thing] = readYaml(
      `hosts:\n  - name: a&b *c !d ?e\n    role: "&x"\n    network: |\n      *a\n      &b\n`,
    );
    expect(thing?.value).toEqual({ name: "a&b *c !d ?e", role: "&x", network: "*a\n&b\n" });
  });

  it("cannot pollute prototypes with its keys", () => {
    const [thing] = readYaml('hosts:\n  - {"__proto__": {"polluted": true}, name: one}');
    expect(Object.keys(thing?.value as object)).toEqual(["__proto__", "name"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each([
    ["of nested aliases", `a: &a [1]\n${"b: &b [*a, *a, *a]\n".repeat(20_000)}`],
    ["of brackets", "[".repeat(900_000)],
    ["of closing brackets", "]\n".repeat(450_000)],
    ["of question marks", "? ".repeat(450_000)],
    ["of documents", "---\n".repeat(220_000)],
    ["of exclamation marks", "!a ".repeat(300_000)],
  ])("that would take long to read, %s, is rejected immediately", async (_what, content) => {
    expect(await measureCpuMs(() => complaint(content))).toBeLessThan(1000);
  });
});
