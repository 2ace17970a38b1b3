/** A machine in a directory: its own root, and on its PATH only what it is given. */
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

const whereIs = (tool: string) =>
  execFileSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).trim();

export interface Outcome {
  code: number | null;
  /** What was said, and what was complained of. */
  output: string;
  errors: string;
}

export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), "lightkeeper-machine-"));
  readonly root = join(this.folder, "root");
  readonly #bin = join(this.folder, "bin");
  readonly #journal = join(this.folder, "journal");
  readonly #shell: string[];

  /** `shell` is the command that reads a script. */
  constructor(shell: string[] = ["sh"]) {
    this.#shell = shell;
    for (const directory of [this.#bin, join(this.root, "run/systemd/system")])
      mkdirSync(directory, { recursive: true });
    writeFileSync(this.#journal, "");
    for (const tool of TOOLS) this.give(tool, whereIs(tool));
    this.give("node", process.execPath);
    this.program("id", "echo 0");
    this.program("systemctl", `echo "$*" >> ${this.#journal}`);
    this.program("nebula", 'echo "Version: 1.9.3"');
  }

  /** A tool of this very system. */
  give(tool: string, path = whereIs(tool)): void {
    this.take(tool);
    symlinkSync(path, join(this.#bin, tool));
  }

  program(name: string, script: string): void {
    this.take(name);
    const path = join(this.#bin, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }

  take(tool: string): void {
    rmSync(join(this.#bin, tool), { force: true });
  }

  withoutSystemd(): this {
    rmSync(join(this.root, "run"), { recursive: true });
    return this;
  }

  /** What the service manager was asked for since the last time. */
  asked(): string[] {
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

  /** As from a pipe. */
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
    // A script that ends early leaves the rest of itself unread.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    await once(child, "close");
    return { code: child.exitCode, output, errors };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
