/** A machine with the agent, which runs a real nebula. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../until.ts";
import { Probe } from "./probe.ts";
import type { Machine } from "./underlay.ts";

export interface OverlayHostOptions {
  machine: Machine;
  /** Command that runs the built agent. */
  agent: readonly [program: string, ...args: string[]];
  nebula: string;
  /** The control plane's URL, as seen from the machine. */
  server: string;
  id: string;
  /** Overlay addresses. */
  addresses: readonly string[];
}

/** The status that the agent writes. */
export interface AgentStatus {
  configHash: string | null;
  nebulaVersion: string | null;
  nebulaProblem: string | null;
  serverProblem: string | null;
  clockOffsetSeconds: number;
}

/** The part of the agent's state that tests use. */
export interface HostState {
  hostID: string;
  counter: number;
  /** PEM, private. */
  hostKey: string;
  /** The server's last configuration. */
  intended: Setup;
  /** The last configuration that nebula accepted. */
  lastGood: Setup | null;
}
interface Setup {
  config: string;
  certificate: string;
}

export class OverlayHost {
  readonly id: string;
  /** At most one of each family, IPv4 first. */
  readonly addresses: readonly string[];
  readonly machine: Machine;
  readonly nebula: string;
  readonly probe: Probe;
  readonly stateDirectory = mkdtempSync(join(tmpdir(), "lightkeeper-host-"));
  private readonly options: OverlayHostOptions;
  private running: ChildProcess | undefined;
  private printed = "";

  constructor(options: OverlayHostOptions) {
    this.options = options;
    this.id = options.id;
    this.addresses = options.addresses;
    this.nebula = options.nebula;
    this.machine = options.machine;
    this.probe = new Probe(options.machine);
  }

  /** The first overlay address. */
  get address(): string {
    return this.addresses[0] ?? "";
  }

  /** The error contains the agent's message. */
  async enroll(code: string, ...args: string[]): Promise<void> {
    const { server, nebula } = this.options;
    await this.command("enroll", "--server", server, "--code", code, "--nebula", nebula, ...args);
  }

  /** The output of the status command. */
  async status(): Promise<AgentStatus & { isRunning: boolean }> {
    // The exit code isn't 0 if the agent isn't running, but the output is valid.
    const output = await this.command("status", "--json").catch((error: { stdout?: string }) => error.stdout);
    return JSON.parse(output ?? "") as AgentStatus & { isRunning: boolean };
  }

  /** Waits until the agent has written a status that matches, which needs no process for each attempt. */
  async waitForStatus(description: string, matches: (status: AgentStatus) => boolean): Promise<void> {
    const isReached = () =>
      this.hasFile("status.json") && matches(JSON.parse(this.file("status.json")) as AgentStatus);
    await until(description, isReached, { seconds: 90 });
  }

  command(name: string, ...args: string[]): Promise<string> {
    return this.machine.run(...this.options.agent, name, "--state-dir", this.stateDirectory, ...args);
  }

  start(environment: Record<string, string> = {}): void {
    const [program, ...args] = this.options.agent;
    const child = this.machine.spawn(
      program,
      [...args, "run", "--state-dir", this.stateDirectory],
      environment,
    );
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding("utf8").on("data", (text: string) => (this.printed += text));
    this.running = child;
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.running;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }

  isAlive(): boolean {
    return this.running?.exitCode === null && this.running.signalCode === null;
  }

  /** The agent's output so far. */
  output(): string {
    return this.printed;
  }

  file(name: string): string {
    return readFileSync(join(this.stateDirectory, name), "utf8");
  }

  hasFile(name: string): boolean {
    return existsSync(join(this.stateDirectory, name));
  }

  state(): HostState {
    return JSON.parse(this.file("state.json")) as HostState;
  }

  /** The agent's process ID. */
  get pid(): number {
    if (this.running?.pid === undefined) throw new Error(`There is no agent on ${this.machine.name}.`);
    return this.running.pid;
  }

  async nebulaPids(): Promise<number[]> {
    const pids = await this.machine.pids();
    return pids.filter((pid) => nameOf(pid) === "nebula");
  }

  /** Whether nebula's interface has the overlay addresses. */
  async isUp(): Promise<boolean> {
    const outputs = await Promise.all(
      this.addresses.map((address) => this.machine.ip("-j", "addr", "show", "up", "to", address)),
    );
    return outputs.every((output) => (JSON.parse(output) as object[]).length > 0);
  }

  remove(): void {
    rmSync(this.stateDirectory, { recursive: true, force: true });
  }
}

function nameOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return undefined;
  }
}
