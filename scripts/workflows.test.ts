import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
const folder = ".github/workflows";
const workflows = readdirSync(join(root, folder)).map((file) => [file, read(join(folder, file))] as const);

/** The npm scripts that a workflow runs; `npm ci` and `npm audit` aren't scripts. */
const scriptsIn = (workflow: string) =>
  [...workflow.matchAll(/\bnpm (?:run (?:-\S+ )*)?([\w:-]+)/g)].flatMap(([call, name = ""]) =>
    call === "npm ci" || call === "npm audit" ? [] : [name],
  );

describe("the workflows", () => {
  it("are check, test and release", () => {
    expect(workflows.map(([file]) => file)).toEqual(["check.yml", "release.yml", "test.yml"]);
  });

  it.each(workflows)("%s calls only npm scripts that exist", (_, workflow) => {
    const names = scriptsIn(workflow.replaceAll(/^\s*#.*$/gm, ""));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  it("publishes a release only after its dependencies were checked, with an SBOM", () => {
    const steps = [...read(join(folder, "release.yml")).matchAll(/run: (.+)/g)].map(([, command]) => command);
    expect(steps.slice(0, 3)).toEqual([
      "npm ci",
      "npm audit --omit=dev --audit-level=high",
      "npm run release:assets",
    ]);
    expect(steps[3]).toMatch(/^gh release create .* release\/assets\/\*$/);
    expect(read("scripts/release.mjs")).toMatch(/"--sbom-format=cyclonedx".*"--package-lock-only"/s);
  });

  it.each(workflows)("%s pins every action to a major version", (_, workflow) => {
    const actions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action = ""]) => action);
    expect(actions.length).toBeGreaterThan(0);
    expect(
      actions.filter((action) => !/^actions\/[\w-]+@v\d+$|^\.\/\.github\/workflows\//.test(action)),
    ).toEqual([]);
  });

  it.each(workflows)("%s takes the Node version from .nvmrc, which package.json allows", (_, workflow) => {
    expect(workflow.match(/node-version/g)).toHaveLength(workflow.match(/actions\/setup-node/g)?.length ?? 0);
    expect(workflow).toContain("node-version-file: .nvmrc");
    const { engines } = JSON.parse(read("package.json")) as { engines: { node: string } };
    expect(engines.node).toMatch(new RegExp(`^>=${read(".nvmrc").trim()}\\.`));
  });
});
