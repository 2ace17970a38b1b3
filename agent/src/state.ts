/**
 * What the agent remembers, in a directory only its owner can open. state.json is the truth, replaced as a whole,
 * so that whatever moment the machine dies at leaves the old state or the new one. Everything else in the
 * directory is made from it again.
 *
 * A new enrollment is left in enrollment.json, and whoever loads the state takes it over: a running agent and
 * `enroll` never write the same file.
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
import { codeOf, EXIT_NOT_ENROLLED, Failure } from "./failure.ts";
import type { Generation } from "./generations.ts";
import type { Credentials } from "./protocol.ts";

export const DEFAULT_DIRECTORY = "/var/lib/lightkeeper";

/** What nebula runs with: all it takes to make its files. */
export interface Setup {
  /** YAML as the server sent it. */
  readonly config: string;
  readonly certificate: string;
  /** PEM, private. */
  readonly nebulaKey: string;
}

export interface State extends Credentials, Pick<EnrollReply, "organization" | "network" | "host"> {
  readonly format: 1;
  readonly server: string;
  /** Where nebula is; a bare name is looked for on PATH. */
  readonly nebula: string;
  /** PEM blocks. */
  readonly trustedKeys: string;
  readonly enrolledAt: string;
  /** What the server wants. */
  readonly intended: Setup;
  /** What nebula last took. */
  readonly lastGood: Setup | null;
  /** Newest first. A state from an older agent has none. */
  readonly previous?: readonly Generation[];
}

const STATE = "state.json";
const ENROLLMENT = "enrollment.json";
const UNFINISHED = ".unfinished";
const PROBE_LENGTH = 256 * 1024;
const LEFT_OVER_SECONDS = 60;
/** A directory given by mistake keeps what else is in it. */
const OURS =
  /^(?:(?:state|enrollment|status)\.json|run\.[\d.]+pid|sshd\.key|nebula(?:-\w+)?\.(?:yml|key|log)|.+\.unfinished)$/;

export class StateDirectory {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** Makes the directory, or refuses one that others can look into. */
  prepare(): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    if ((statSync(this.directory).mode & 0o077) !== 0)
      throw new Failure(
        `Others can look into ${this.directory}, which is to hold keys: chmod 700 ${this.directory}`,
      );
  }

  /** What the next `run` would start from. Changes nothing. */
  peek(): State | undefined {
    return this.read(ENROLLMENT) ?? this.read(STATE);
  }

  load(): State {
    this.clearAway();
    if (existsSync(this.path(ENROLLMENT))) {
      renameSync(this.path(ENROLLMENT), this.path(STATE));
      this.sync();
    }
    const state = this.read(STATE);
    if (state === undefined)
      throw new Failure(
        `This host is not enrolled: there is nothing in ${this.directory}. ` +
          "Get a code in the console, then: lightkeeper-agent enroll --server URL --code CODE",
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

  /** For what can be made again: whole or not at all, but not worth waiting for the disk. */
  write(name: string, text: string): void {
    this.replace(name, text, false);
  }

  /** Throws when a state could not be stored just now. */
  probe(): void {
    const name = `probe${UNFINISHED}`;
    this.replace(name, " ".repeat(PROBE_LENGTH), true);
    rmSync(this.path(name), { force: true });
  }

  removeAll(): void {
    for (const name of this.list()) {
      if (OURS.test(name)) rmSync(this.path(name), { force: true });
    }
    if (existsSync(this.directory) && this.list().length === 0) rmdirSync(this.directory);
  }

  list(): string[] {
    return existsSync(this.directory) ? readdirSync(this.directory) : [];
  }

  /** What a killed process left half written; not what another one is writing just now. */
  private clearAway(): void {
    const isLeftOver = (name: string) => {
      const stats = name.endsWith(UNFINISHED)
        ? statSync(this.path(name), { throwIfNoEntry: false })
        : undefined;
      return stats !== undefined && Date.now() - stats.mtimeMs > LEFT_OVER_SECONDS * 1000;
    };
    for (const name of this.list().filter(isLeftOver)) rmSync(this.path(name), { force: true });
  }

  private read(name: string): State | undefined {
    try {
      return parse(this.path(name), readFileSync(this.path(name), "utf8"));
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
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
      if (codeOf(error) === "ENOSPC") throw new Failure(`The disk that holds ${this.directory} is full.`);
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

/** The fault itself would quote the file, keys and all. */
function parse(file: string, text: string): State {
  let state: Partial<State>;
  try {
    state = JSON.parse(text);
  } catch {
    throw new Failure(
      `${file} is damaged. Enroll again: lightkeeper-agent enroll --force --server URL --code CODE`,
    );
  }
  if (state.format !== 1) throw new Failure(`${file} was written by another version of lightkeeper-agent.`);
  return state as State;
}
