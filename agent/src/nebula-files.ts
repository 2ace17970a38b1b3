/** The files that nebula reads: its configuration, its key and the host key of its debug console. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { isDeepStrictEqual, promisify } from "node:util";
import { completeConfig, readConfig, writeConfig } from "./config.ts";
import type { ConfigMap } from "./config.ts";
import type { DebugConsole } from "./debug-console.ts";
import { AgentError } from "./errors.ts";
import { readErrorMessage } from "./nebula-log.ts";
import type { Setup, StateDirectory } from "./state.ts";

const CONFIG = "nebula.yml";
const CANDIDATE = "nebula-test.yml";
const CONSOLE_KEY = "sshd.key";
const KEY = /^nebula-[0-9a-f]+\.key$/;
const TEST_SECONDS = 60;
const TEST_OUTPUT_MAX = 64 * 1024 * 1024;

const run = promisify(execFile);

/** The arguments with which nebula is started. */
export const nebulaArguments = (state: StateDirectory): string[] => ["-config", state.path(CONFIG)];

export class NebulaFiles {
  private readonly state: StateDirectory;

  constructor(state: StateDirectory) {
    this.state = state;
  }

  get consoleKeyPath(): string {
    return this.state.path(CONSOLE_KEY);
  }

  complete(setup: Setup): ConfigMap {
    return completeConfig(setup, this.state.path(keyName(setup)));
  }

  write(setup: Setup, config: ConfigMap, debugConsole: DebugConsole): void {
    this.state.write(CONSOLE_KEY, debugConsole.hostKey);
    this.state.write(keyName(setup), setup.nebulaKey);
    this.state.write(CONFIG, writeConfig({ ...config, sshd: debugConsole.config }));
  }

  /** Whether the configuration file was written for this setup, with any debug console. */
  isWrittenFor(setup: Setup): boolean {
    try {
      const { sshd: _, ...written } = readConfig(readFileSync(this.state.path(CONFIG), "utf8"));
      const { sshd: __, ...expected } = readConfig(writeConfig(this.complete(setup)));
      return isDeepStrictEqual(written, expected);
    } catch {
      return false;
    }
  }

  /** Throws the error of nebula's own test. Only its error is kept: its output contains the whole configuration. */
  async test(program: string, setup: Setup, config: ConfigMap): Promise<void> {
    const { state } = this;
    state.write(keyName(setup), setup.nebulaKey);
    state.write(CANDIDATE, writeConfig(config));
    const options = { timeout: TEST_SECONDS * 1000, maxBuffer: TEST_OUTPUT_MAX };
    try {
      await run(program, ["-test", "-config", state.path(CANDIDATE)], options);
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      const message = readErrorMessage(stdout + stderr) ?? "no reason given";
      throw new AgentError(`Nebula rejected the configuration: ${message}`);
    } finally {
      rmSync(state.path(CANDIDATE), { force: true });
    }
  }

  removeOtherKeys(setup: Setup): void {
    for (const name of this.state.list()) {
      if (KEY.test(name) && name !== keyName(setup)) rmSync(this.state.path(name), { force: true });
    }
  }
}

/** The file name contains a hash of the key, so that a configuration is never used with another one's key. */
function keyName({ nebulaKey }: Setup): string {
  return `nebula-${createHash("sha256").update(nebulaKey).digest("hex").slice(0, 16)}.key`;
}
