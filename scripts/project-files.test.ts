import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
/** Called by a workflow only. */
const INTERNAL = new Set(["release:assets"]);

const scriptsIn = (text: string) =>
  [...text.matchAll(/\bnpm (?:run )?([a-z][\w:-]*)/g)].map(([, name = ""]) => name);

describe("CONTRIBUTING.md", () => {
  it("lists every npm script that a developer can run", () => {
    const table = scriptsIn(
      read("CONTRIBUTING.md")
        .match(/^\| `npm [^`]*/gm)
        ?.join("\n") ?? "",
    );
    const isHook = (name: string) =>
      name.startsWith("pre") && Object.hasOwn(scripts, name.slice("pre".length));
    const runnable = Object.keys(scripts).filter((name) => !isHook(name) && !INTERNAL.has(name));
    expect(table.sort()).toEqual(runnable.sort());
  });

  it.each([["CONTRIBUTING.md"], ["README.md"], [".github/pull_request_template.md"]])(
    "and %s mention only npm scripts that exist",
    (file) => {
      const names = scriptsIn(read(file)).filter((name) => name !== "ci");
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
    },
  );
});

const markdownFiles = readdirSync(root).filter((file) => file.endsWith(".md"));

/** GitHub's anchors of the headings in a Markdown file. */
const anchorsOf = (file: string) =>
  [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  );

describe("the project files", () => {
  it.each(markdownFiles.map((file) => [file]))("%s has no broken links to other files", (file) => {
    const links = [...read(file).matchAll(/\]\((?!https:)([^)#]*)(?:#([^)]*))?\)/g)];
    const broken = links.filter(([, path = "", anchor]) => {
      const target = path || file;
      return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

describe("README.md", () => {
  it("shows every picture in docs/images, in both themes", () => {
    const shown = [...read("README.md").matchAll(/docs\/images\/([\w-]+)-(light|dark)\.webp/g)].map(
      ([, name, theme]) => `${name}-${theme}.webp`,
    );
    expect(shown.sort()).toEqual(readdirSync(join(root, "docs/images")).sort());
    const names = new Set(shown.map((file) => file.replace(/-\w+\.webp$/, "")));
    expect(shown).toHaveLength(2 * names.size);
  });
});
