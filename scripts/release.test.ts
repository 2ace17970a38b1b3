import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readSection, releaseSection } from "./changelog.mjs";
import { setLockVersion, setVersion, validateVersion } from "./version.mjs";

const changelog = (unreleased: string) => `# Changelog

About this file.

## [Unreleased]
${unreleased && `\n${unreleased}\n`}
## [1.1.0] - 2026-02-01

### Fixed

- A bug.

## [1.0.0] - 2026-01-01

- The first release.
`;

describe("a section of the changelog", () => {
  it.each([
    ["Unreleased", "- A feature."],
    ["1.1.0", "### Fixed\n\n- A bug."],
    ["1.0.0", "- The first release."],
  ])("%s ends at the next version", (name, content) => {
    expect(readSection(changelog("- A feature."), name)).toBe(content);
  });

  it("is undefined for an unknown version, and a dot matches only a dot", () => {
    expect(readSection(changelog(""), "2.0.0")).toBeUndefined();
    expect(readSection(changelog("").replace("[1.1.0]", "[1x1x0]"), "1.1.0")).toBeUndefined();
  });
});

describe("a release in the changelog", () => {
  it("moves the unreleased changes to the version and leaves the section empty", () => {
    const released = releaseSection(changelog("### Added\n\n- A feature."), "1.2.0", "2026-03-01");
    expect(readSection(released, "Unreleased")).toBe("");
    expect(readSection(released, "1.2.0")).toBe("### Added\n\n- A feature.");
    expect(released).toBe(
      changelog("").replace(
        "## [1.1.0]",
        "## [1.2.0] - 2026-03-01\n\n### Added\n\n- A feature.\n\n## [1.1.0]",
      ),
    );
  });

  it("works for the first release, too", () => {
    expect(releaseSection("# Changelog\n\n## [Unreleased]\n\n- All.\n", "0.1.0", "2026-03-01")).toBe(
      "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-03-01\n\n- All.\n",
    );
  });

  it("keeps a section that was written by hand", () => {
    expect(releaseSection(changelog(""), "1.1.0", "2026-03-01")).toBe(changelog(""));
  });

  it("fails without changes, without the section, and if the changes are in two places", () => {
    expect(() => releaseSection(changelog(""), "1.2.0", "2026-03-01")).toThrow("lists no changes for 1.2.0");
    expect(() => releaseSection("# Changelog\n", "1.2.0", "2026-03-01")).toThrow("no section [Unreleased]");
    expect(() => releaseSection(changelog("- A feature."), "1.1.0", "2026-03-01")).toThrow(
      "Merge them first",
    );
  });
});

describe("a version", () => {
  const state = { current: "1.9.0", tags: ["v1.8.0"] };

  it.each([["1.9.0"], ["1.9.1"], ["1.10.0"], ["2.0.0"]])("can be %s after 1.9.0", (version) => {
    expect(validateVersion(version, state)).toBeUndefined();
  });

  it.each([
    [undefined, "Enter a version"],
    ["v2.0.0", "Enter a version"],
    ["2.0", "Enter a version"],
    ["2.0.0-rc.1", "Enter a version"],
    ["1.8.0", "The tag v1.8.0 already exists"],
    ["1.8.9", "older than the current version"],
    ["0.10.0", "older than the current version"],
  ])("can't be %s", (version, problem) => {
    expect(validateVersion(version, state)).toContain(problem);
  });

  it("can't be the current one if it's released", () => {
    expect(validateVersion("1.9.0", { ...state, tags: ["v1.9.0"] })).toContain("already exists");
  });

  it("is the same in the root and in every workspace", () => {
    const read = (folder: string) =>
      JSON.parse(readFileSync(resolve(import.meta.dirname, "..", join(folder, "package.json")), "utf8")) as {
        version: string;
        workspaces: string[];
      };
    const { version, workspaces } = read(".");
    expect(workspaces.filter((workspace) => read(workspace).version !== version)).toEqual([]);
  });

  it("is set in package.json, and in the lockfile for the root and the workspaces", () => {
    expect(setVersion('{"name":"a","version":"1.0.0","private":true}', "1.1.0")).toBe(
      '{\n  "name": "a",\n  "version": "1.1.0",\n  "private": true\n}\n',
    );
    const lock = {
      version: "1.0.0",
      packages: {
        "": { version: "1.0.0" },
        server: { version: "1.0.0" },
        "node_modules/zod": { version: "4.0.0" },
      },
    };
    expect(JSON.parse(setLockVersion(JSON.stringify(lock), "1.1.0", ["server"]))).toEqual({
      version: "1.1.0",
      packages: {
        "": { version: "1.1.0" },
        server: { version: "1.1.0" },
        "node_modules/zod": { version: "4.0.0" },
      },
    });
  });
});
