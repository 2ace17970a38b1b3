import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
let repository: string;

beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), "lightkeeper-repository-"));
  git("init", "--quiet");
  for (const file of [".oxfmtrc.json", ".oxlintrc.json"]) {
    copyFileSync(join(root, file), join(repository, file));
    git("add", file);
  }
  mkdirSync(join(repository, "contract/src"), { recursive: true });
});
afterEach(() => rmSync(repository, { recursive: true }));

const git = (...args: string[]) => execFileSync("git", args, { cwd: repository });
const write = (file: string, content: string) => writeFileSync(join(repository, file), content);

function stage(file: string, content: string): void {
  write(file, content);
  git("add", file);
}

function checkStaged() {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts/check-staged.mjs")], {
    cwd: repository,
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

describe("the pre-commit check", () => {
  it("accepts staged files that are formatted and lint clean", () => {
    stage("contract/src/good.ts", "export const answer = 42;\n");
    stage("notes.txt", "any   text");
    expect(checkStaged()).toMatchObject({ status: 0 });
  });

  it("rejects a staged file that isn't formatted, and names it", () => {
    stage("notes.md", "# Title\n\n\n\ntext\n");
    const { status, output } = checkStaged();
    expect(status).toBe(1);
    expect(output).toContain("notes.md");
  });

  it("rejects a staged file with a lint error", () => {
    stage("contract/src/bad.ts", 'import { readFile } from "node:fs";\n\nexport const read = readFile;\n');
    const { status, output } = checkStaged();
    expect(status).toBe(1);
    expect(output).toContain("no-restricted-imports");
  });

  it("checks what is staged, not what is in the working tree", () => {
    stage("contract/src/staged.ts", "export const answer = 42;\n");
    write("contract/src/staged.ts", "export   const answer=42");
    write("contract/src/unstaged.ts", "export   const answer=42");
    expect(checkStaged().status).toBe(0);
    stage("contract/src/staged.ts", "export   const answer=42");
    write("contract/src/staged.ts", "export const answer = 42;\n");
    expect(checkStaged().status).toBe(1);
  });

  it("accepts a commit that only deletes files", () => {
    stage("contract/src/old.ts", "export   const answer=42");
    git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "-m", "files: add one");
    git("rm", "--quiet", "contract/src/old.ts");
    expect(checkStaged()).toEqual({ status: 0, output: "" });
  });
});
