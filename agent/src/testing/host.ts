/** One host in a folder of its own: the built agent, a fake nebula and the server it talks to. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findByArguments } from "../processes.ts";
import { StateDirectory } from "../state.ts";
import type { AgentProcess, AgentProgram, Outcome } from "./agent-process.ts";
import { createFakeNebula } from "./fake-nebula.ts";
import { ServerDouble } from "./server-double.ts";

export class TestHost {
  readonly folder = mkdtempSync(join(tmpdir(), "lk-host-"));
  readonly directory = new StateDirectory(join(this.folder, "state"));
  readonly nebula;
  readonly server = new ServerDouble();
  private readonly program: AgentProgram;
  private readonly started: AgentProcess[] = [];

  constructor(program: AgentProgram, nebulaVersion?: string) {
    this.program = program;
    this.nebula = createFakeNebula(this.folder, nebulaVersion);
  }

  async enroll(...args: string[]): Promise<Outcome> {
    this.server.codes.add("CODE");
    return this.command(
      "enroll",
      "--server",
      this.server.url,
      "--code",
      "CODE",
      "--nebula",
      this.nebula.path,
      ...args,
    );
  }

  command(name: string, ...args: string[]): Promise<Outcome> {
    return this.program.run(name, "--state-dir", this.directory.directory, ...args);
  }

  run(): AgentProcess {
    const agent = this.program.start("run", "--state-dir", this.directory.directory);
    this.started.push(agent);
    return agent;
  }

  /** Numbers of the nebula processes that run for this host. */
  nebulas(): number[] {
    return findByArguments(["-config", this.directory.path("nebula.yml")]);
  }

  /** What was last reported to the server. */
  report(): Record<string, unknown> | null | undefined {
    return this.server.of("ReportStatus").at(-1)?.value;
  }

  async remove(): Promise<void> {
    for (const agent of this.started) await agent.kill("SIGKILL");
    for (const pid of this.nebulas()) process.kill(pid, "SIGKILL");
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
