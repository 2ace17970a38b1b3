/** A fake machine in a temporary folder, with its own root directory and PATH. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TOOLS =
  "cat chmod cut env false grep head mkdir mktemp mv rm sed sh sha256sum sleep tail true uname curl".split(
    " ",
  );

const findTool = (tool: string) =>
  execFileSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).trim();

export interface Outcome {
  code: number | null;
  /** Standard output. */
  output: string;
  /** Standard error. */
  errors: string;
}

export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), "lightkeeper-machine-"));
  readonly root = join(this.folder, "root");
  readonly #bin = join(this.folder, "bin");
  readonly #journal = join(this.folder, "journal");
  readonly #shell: string[];

  /** `shell` is the command that runs the script. */
  constructor(shell: string[] = ["sh"]) {
    this.#shell = shell;
    for (const directory of [this.#bin, join(this.root, "run/systemd/system")])
      mkdirSync(directory, { recursive: true });
    writeFileSync(this.#journal, "");
    for (const tool of TOOLS) this.addTool(tool, findTool(tool));
    this.addTool("node", process.execPath);
    this.addScript("id", "echo 0");
    this.addScript("systemctl", `echo "$*" >> ${this.#journal}`);
    this.addScript("nebula", 'echo "Version: 1.9.3"');
  }

  /** Adds a tool of the real system to PATH. */
  addTool(tool: string, path = findTool(tool)): void {
    this.removeTool(tool);
    symlinkSync(path, join(this.#bin, tool));
  }

  /** Adds a shell script to PATH. */
  addScript(name: string, script: string): void {
    this.removeTool(name);
    const path = join(this.#bin, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }

  removeTool(tool: string): void {
    rmSync(join(this.#bin, tool), { force: true });
  }

  withoutSystemd(): this {
    rmSync(join(this.root, "run"), { recursive: true });
    return this;
  }

  /** Arguments of the systemctl calls since the last call of this function. */
  takeSystemctlCalls(): string[] {
    const lines = readFileSync(this.#journal, "utf8").split("\n").filter(Boolean);
    writeFileSync(this.#journal, "");
    return lines;
  }

  path(name: string): string {
    return join(this.root, name);
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  bin(name: string): string {
    return join(this.#bin, name);
  }

  /** Runs the script from standard input. */
  run(script: string, ...args: string[]): Promise<Outcome> {
    const [command = "sh", ...before] = this.#shell;
    return this.#spawn(command, [...before, "-s", "--", ...args], script);
  }

  agent(...args: string[]): Promise<Outcome> {
    const program = this.path("usr/local/bin/lightkeeper-agent");
    return this.#spawn(program, [...args, "--state-dir", this.path("var/lib/lightkeeper")], "");
  }

  async #spawn(command: string, args: string[], input: string): Promise<Outcome> {
    const child = spawn(command, args, {
      env: { PATH: this.#bin, LIGHTKEEPER_ROOT: this.root },
      cwd: this.folder,
    });
    let [output, errors] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    // A script that exits early doesn't read the rest of its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    await once(child, "close");
    return { code: child.exitCode, output, errors };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
