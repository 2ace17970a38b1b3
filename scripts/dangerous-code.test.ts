/** Searches the code that ships for constructs that must not be in it, and for cryptography that the docs don't list. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const WORKSPACES = ["agent", "contract", "nebula", "postgres", "server", "web"];
const NOT_SHIPPED = /\.test\.tsx?$|\/testing\/|\/testing\.ts$|\/seeds\/|\/migrations\//;

const sources = execFileSync("git", ["ls-files", ...WORKSPACES.map((name) => `${name}/src`)], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => /\.tsx?$/.test(file) && !NOT_SHIPPED.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

/** Returns the matches with their files. */
const find = (pattern: RegExp) =>
  sources.flatMap(({ file, text }) => [...text.matchAll(pattern)].map(([match]) => `${file}: ${match}`));

const firstGroups = (pattern: RegExp) =>
  [
    ...new Set(sources.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, group = ""]) => group))),
  ].sort();

describe("the code that ships", () => {
  it("is all searched", () => {
    for (const file of ["server/src/main.ts", "agent/src/main.ts", "web/src/main.tsx"])
      expect(sources.map((source) => source.file)).toContain(file);
  });

  it("never runs text as code", () => {
    expect(find(/\beval\(|\bnew Function\(|\bsetTimeout\(\s*["'`]|from "node:vm"/g)).toEqual([]);
  });

  it("never turns text into markup", () => {
    expect(find(/innerHTML|outerHTML|dangerouslySetInnerHTML|insertAdjacentHTML|document\.write/g)).toEqual(
      [],
    );
  });

  it("starts programs without a shell", () => {
    expect(find(/\bexec\(\s*["'`]|\bexecSync\(|shell: *true/g)).toEqual([]);
  });

  it("never accepts a TLS certificate that it can't verify", () => {
    expect(find(/rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity|minVersion/g)).toEqual(
      [],
    );
  });

  it("uses predictable random numbers only to spread retries and polls", () => {
    expect(find(/Math\.random/g).map((match) => match.split(":")[0])).toEqual([
      "agent/src/backoff.ts",
      "server/src/features/control/long-polls.ts",
      "server/src/features/notifications/attempt-delivery.ts",
      "web/src/lib/events.ts",
    ]);
  });

  it("builds SQL from text only in these files, from constants", () => {
    expect([...new Set(find(/sql\.raw\(/g).map((match) => match.split(":")[0]))]).toEqual([
      "server/src/features/get-started/get-started.queries.ts",
      "server/src/features/map/map.queries.ts",
      "server/src/features/transfer/database-state.ts",
      "server/src/features/transfer/import.ts",
      "server/src/features/transfer/load.ts",
      "server/src/infrastructure/db/lock-rows.ts",
      "server/src/infrastructure/db/pages.ts",
      "server/src/nouns/hosts/hosts.queries.ts",
    ]);
  });

  it("builds regular expressions only in these files, from constants", () => {
    expect([...new Set(find(/new RegExp\(/g).map((match) => match.split(":")[0]))]).toEqual([
      "contract/src/characters.ts",
      "contract/src/fields.ts",
      "contract/src/host-filters.ts",
      "contract/src/reference/create-example.ts",
      // Checks whether a pattern for Nebula is valid, and never applies it.
      "nebula/src/override-formats.ts",
      "server/src/features/downloads/file-names.ts",
      "server/src/features/mail/mailbox.routes.ts",
      "server/src/infrastructure/http/dry-runs.ts",
      "server/src/nouns/certificates/host-keys.ts",
      "web/src/lib/csv.ts",
    ]);
  });
});

describe("the cryptography of the code that ships", () => {
  const page = readFileSync(join(root, "docs/security-reference.md"), "utf8");
  const [, section = ""] = page.split("## Algorithms");
  const [table = ""] = section.split("\n## ");
  const documented = [...table.matchAll(/^\| `([\w-]+)` /gm)].map(([, name = ""]) => name);
  const algorithms = new Set([
    ...firstGroups(/create(?:Hash|Hmac|Cipheriv|Decipheriv)\(\s*"([\w-]+)"/g),
    // The curve of an "ec" key is named separately.
    ...firstGroups(/generateKeyPairSync\(\s*"((?!ec")[\w-]+)"/g),
    ...firstGroups(/(?:CIPHER|P256_HASH|namedCurve|algorithm)(?: =|:) "([\w-]+)"/g),
  ]);

  it("uses the documented algorithms, and no others", () => {
    expect([...algorithms].map((name) => name.toLowerCase()).sort()).toEqual(documented.toSorted());
  });

  it("comes from Node.js: nothing else implements an algorithm", () => {
    const imports = firstGroups(
      /from "((?:node:)?[\w@/.-]*(?:crypt|noble|cipher|jose|bcrypt|argon|forge)[\w/.-]*)"/g,
    );
    expect(imports.filter((name) => !name.startsWith(".") && !name.startsWith("@lightkeeper/"))).toEqual([
      "node:crypto",
    ]);
  });
});
