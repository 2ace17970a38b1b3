/** A host in a temporary folder: the built agent, a fake nebula and a server double. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findByArguments } from "../processes.ts";
import { StateDirectory } from "../state.ts";
import type { AgentProcess, AgentProgram, Outcome } from "./agent-program.ts";
import { createFakeNebula } from "./fake-nebula.ts";
import { ServerDouble } from "./server-double.ts";

type Report = Record<string, unknown>;

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

  /** IDs of this host's nebula processes. */
  nebulas(): number[] {
    return findByArguments(["-config", this.directory.path("nebula.yml")]);
  }

  /** The status reports to the server, alone or with a poll. */
  reports(): Report[] {
    return this.server.received.flatMap<Report>(({ type, value }) => {
      const report = type === "ReportStatus" ? value : value?.status;
      return (report as Report | null | undefined) ?? [];
    });
  }

  report(): Report | undefined {
    return this.reports().at(-1);
  }

  async remove(): Promise<void> {
    for (const agent of this.started) await agent.kill("SIGKILL");
    for (const pid of this.nebulas()) process.kill(pid, "SIGKILL");
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
