/** Compares the tables of the security pages with the tests and with the requirements of OWASP ASVS 5.0, levels 1 and 2. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import chapters from "./asvs-requirements.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const testFiles = execFileSync("git", ["ls-files", "*.test.ts", "*.test.tsx"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n");

const requirements = read("docs/security-requirements.md");
const [, incidents = ""] = read("docs/security-model.md").split("## Lessons from incidents");
const rowsOf = (markdown: string) => markdown.split("\n").filter((line) => /^\| (\*\*|[A-Za-z])/.test(line));
const withoutHeader = (rows: string[]) => rows.filter((row) => !/^\| (Requirement|Incident) /.test(row));
const requirementRows = withoutHeader(rowsOf(requirements.split("## Not met")[0] ?? ""));
const incidentRows = withoutHeader(rowsOf(incidents.split("\n## ")[0] ?? ""));

interface NamedTest {
  file: string;
  title: string;
}

const testsIn = (row: string): NamedTest[] =>
  [...row.matchAll(/`([\w/.-]+\.test\.tsx?)` "([^"]+)"/g)].map(([, file = "", title = ""]) => ({
    file,
    title,
  }));

const escape = (text: string) => text.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** Whether exactly one file has this name and one of them has a test, or a suite, with this title. */
function isKnown({ file, title }: NamedTest): boolean {
  const named = testFiles.filter((path) => path.endsWith(`/${file}`));
  const pattern = new RegExp(String.raw`\(\s*(["\`])${escape(title)}(?: \[S[\d.]+\])*\1,`);
  return named.filter((path) => pattern.test(read(path))).length === 1;
}

/** Every number of a text; "6.2.1–6.2.12" contains all between. */
const numbersIn = (text: string): string[] =>
  [...text.matchAll(/(\d+\.\d+)\.(\d+)(?:–\1\.(\d+))?/g)].flatMap(([, section = "", first, last = first]) =>
    Array.from(
      { length: Number(last) - Number(first) + 1 },
      (_, index) => `${section}.${Number(first) + index}`,
    ),
  );

const sorted = (numbers: string[]) => numbers.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));

describe("every row of the security tables", () => {
  it("exists", () => {
    expect(requirementRows.length).toBeGreaterThan(150);
    expect(incidentRows).toHaveLength(19);
  });

  it.each([...requirementRows, ...incidentRows])("names a test: %s", (row) => {
    const tests = testsIn(row);
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((test) => !isKnown(test))).toEqual([]);
  });
});

describe("the requirements of levels 1 and 2", () => {
  const expected = Object.values(chapters).flatMap((sections) =>
    Object.entries(sections).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
    ),
  );
  const inTables = rowsOf(requirements).flatMap((row) => numbersIn(row.split(" | ")[0] ?? ""));
  const notApplicable = numbersIn(requirements.split("## Not applicable")[1] ?? "");

  it("are 253", () => {
    expect(expected).toHaveLength(253);
  });

  it("are each met, not met or not applicable, and nothing twice", () => {
    expect(sorted([...inTables, ...notApplicable])).toEqual(sorted(expected));
  });
});
