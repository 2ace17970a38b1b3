import { existsSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentProgram } from "./testing/agent-process.ts";
import { buildAgentProgram, until } from "./testing/agent-process.ts";
import { TestHost } from "./testing/host.ts";

// Processes start and end here, on machines that do other things as well.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let program: AgentProgram;
let host: TestHost;

beforeAll(async () => {
  program = await buildAgentProgram();
});
afterAll(() => program.remove());
beforeEach(async () => {
  host = new TestHost(program);
  await host.server.start();
});
afterEach(() => host.remove());

describe("the command line", () => {
  it("says its version and how it is used", async () => {
    expect(await program.run("--version")).toEqual({ code: 0, output: `${program.version}\n` });
    for (const args of [["help"], ["--help"], []])
      expect(await program.run(...args)).toEqual({
        code: 0,
        output: expect.stringContaining("enroll --server URL"),
      });
  });

  it.each([
    [["dance"], 2, "Unknown command: dance"],
    [["run", "away"], 2, "Unknown command: run away"],
    [["run", "--wrong"], 2, "Unknown option '--wrong'"],
    [["enroll"], 2, "enroll needs --server URL and --code CODE."],
    [["enroll", "--server", "lightkeeper.example", "--code", "A"], 2, "is not the address of a server"],
    [["enroll", "--server", "ftp://a", "--code", "A"], 2, "is not the address of a server"],
  ])("refuses %j", async (args, code, sentence) => {
    expect(await program.run(...args)).toEqual({ code, output: expect.stringContaining(sentence) });
  });

  it.each(["run", "status", "unenroll"])("%s says that the host is not enrolled", async (command) => {
    const { code, output } = await host.command(command);
    expect(code).toBe(3);
    expect(output).toMatch(/not enrolled/i);
    expect(output.trim().split("\n")).toHaveLength(1);
  });

  it("enrolls, runs, tells and forgets", async () => {
    expect(await host.enroll()).toEqual({
      code: 0,
      output: "Enrolled as web-1 (100.100.0.2) in Network1.\nStart it with: lightkeeper-agent run\n",
    });
    expect(await host.command("status")).toEqual({
      code: 4,
      output:
        "Enrolled as web-1 (100.100.0.2) in Network1\nThe agent is not running: lightkeeper-agent run\n",
    });
    const agent = host.run();
    await until(() => host.server.of("ReportStatus").length > 0);
    expect(await host.command("status")).toEqual({
      code: 0,
      output: expect.stringMatching(/^Enrolled as web-1 .* · nebula 1\.9\.3 running since \S+Z · /),
    });
    const { output } = await host.command("status", "--json");
    expect(JSON.parse(output)).toMatchObject({
      isRunning: true,
      enrollment: { host: { name: "web-1" }, server: host.server.url },
      configHash: host.server.configHash(),
    });
    expect(output).not.toContain("KEY");

    expect(await host.command("run")).toEqual({
      code: 1,
      output: `The agent is already running on ${host.directory.directory}: process ${agent.pid}.\n`,
    });
    expect(await host.command("unenroll")).toMatchObject({ code: 2 });
    expect(await host.command("unenroll", "--yes")).toMatchObject({ code: 0 });
    expect(host.nebulas()).toEqual([]);
    expect(existsSync(host.directory.directory)).toBe(false);
  });

  it("warns of a server that is not encrypted, except on this machine", async () => {
    expect((await host.enroll()).output).not.toContain("Warning");
    const args = ["--server", "http://192.0.2.1:1", "--code", "A", "--nebula", "/no/nebula", "--force"];
    expect((await host.command("enroll", ...args)).output).toContain("http://192.0.2.1:1 is not encrypted");
  });
});
