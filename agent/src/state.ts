/**
 * The agent's state directory, readable by its owner only. state.json is replaced atomically, so that a crash leaves
 * either the old or the new state. All other files can be created from it again.
 *
 * `enroll` writes enrollment.json, which replaces state.json at the next load: a running agent and `enroll` never
 * write the same file.
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { EnrollReply } from "@lightkeeper/contract/agent";
import { systemErrorCode, EXIT_NOT_ENROLLED, AgentError } from "./errors.ts";
import type { CredentialHistory } from "./credential-generations.ts";
import type { Credentials } from "./protocol.ts";

export const DEFAULT_DIRECTORY = "/var/lib/lightkeeper";

/** Everything needed to write nebula's files. */
export interface Setup {
  /** YAML, as sent by the server. */
  readonly config: string;
  readonly certificate: string;
  /** PEM, private. */
  readonly nebulaKey: string;
}

export interface State
  extends Credentials, CredentialHistory, Pick<EnrollReply, "organization" | "network" | "host"> {
  readonly format: 1;
  readonly server: string;
  /** Path of the nebula program; a bare name is looked up on PATH. */
  readonly nebula: string;
  readonly enrolledAt: string;
  /** The configuration that the server sent last. */
  readonly intended: Setup;
  /** The configuration that nebula accepted last. */
  readonly lastGood: Setup | null;
}

const STATE = "state.json";
const ENROLLMENT = "enrollment.json";
const UNFINISHED = ".unfinished";
const PROBE_LENGTH = 256 * 1024;
const LEFTOVER_SECONDS = 60;
/** Only these files are removed, in case the directory contains others. */
const AGENT_FILES =
  /^(?:(?:state|enrollment|status)\.json|run\.[\d.]+pid|sshd\.key|nebula(?:-\w+)?\.(?:yml|key|log|json)|.+\.unfinished)$/;

export class StateDirectory {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** Creates the directory, or throws if other users can access it. */
  prepare(): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    if ((statSync(this.directory).mode & 0o077) !== 0)
      throw new AgentError(
        `Other users can access ${this.directory}, which stores private keys. Run: chmod 700 ${this.directory}`,
      );
  }

  /** Returns the state that `load` would return, without changing files. */
  peek(): State | undefined {
    return this.read(ENROLLMENT) ?? this.read(STATE);
  }

  load(): State {
    this.removeLeftovers();
    if (existsSync(this.path(ENROLLMENT))) {
      renameSync(this.path(ENROLLMENT), this.path(STATE));
      this.sync();
    }
    const state = this.read(STATE);
    if (state === undefined)
      throw new AgentError(
        `This host is not enrolled (no state in ${this.directory}). ` +
          "Generate a code in the console, then run: lightkeeper-agent enroll --server URL --code CODE",
        EXIT_NOT_ENROLLED,
      );
    return state;
  }

  save(state: State): void {
    this.replace(STATE, JSON.stringify(state), true);
  }

  saveEnrollment(state: State): void {
    this.replace(ENROLLMENT, JSON.stringify(state), true);
  }

  /** Replaces a file atomically, without fsync: use it only for files that can be created again. */
  write(name: string, text: string): void {
    this.replace(name, text, false);
  }

  /** Throws if there's no space for another state. */
  probe(): void {
    const name = `probe${UNFINISHED}`;
    this.replace(name, " ".repeat(PROBE_LENGTH), true);
    rmSync(this.path(name), { force: true });
  }

  removeAll(): void {
    for (const name of this.list()) {
      if (AGENT_FILES.test(name)) rmSync(this.path(name), { force: true });
    }
    if (existsSync(this.directory) && this.list().length === 0) rmdirSync(this.directory);
  }

  list(): string[] {
    return existsSync(this.directory) ? readdirSync(this.directory) : [];
  }

  /** Removes incomplete files of killed processes, but not those being written now. */
  private removeLeftovers(): void {
    const isLeftover = (name: string) => {
      const stats = name.endsWith(UNFINISHED)
        ? statSync(this.path(name), { throwIfNoEntry: false })
        : undefined;
      return stats !== undefined && Date.now() - stats.mtimeMs > LEFTOVER_SECONDS * 1000;
    };
    for (const name of this.list().filter(isLeftover)) rmSync(this.path(name), { force: true });
  }

  private read(name: string): State | undefined {
    try {
      return parse(this.path(name), readFileSync(this.path(name), "utf8"));
    } catch (error) {
      if (systemErrorCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  private replace(name: string, text: string, isDurable: boolean): void {
    const unfinished = this.path(`${name}.${randomBytes(6).toString("hex")}${UNFINISHED}`);
    try {
      writeFileSync(unfinished, text, { flag: "wx", mode: 0o600, flush: isDurable });
      renameSync(unfinished, this.path(name));
      if (isDurable) this.sync();
    } catch (error) {
      rmSync(unfinished, { force: true });
      if (systemErrorCode(error) === "ENOSPC")
        throw new AgentError(`The disk is full (${this.directory}). Free some space.`);
      throw error;
    }
  }

  private sync(): void {
    const file = openSync(this.directory, "r");
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}

/** Throws its own error: the one from JSON.parse quotes the file, which contains private keys. */
function parse(file: string, text: string): State {
  let state: Partial<State>;
  try {
    state = JSON.parse(text);
  } catch {
    throw new AgentError(
      `${file} is damaged. To enroll again, run: lightkeeper-agent enroll --force --server URL --code CODE`,
    );
  }
  if (state.format !== 1)
    throw new AgentError(
      `${file} was written by an incompatible version of lightkeeper-agent. Update the agent.`,
    );
  return state as State;
}
