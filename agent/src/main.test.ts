import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { until } from "./testing/agent-program.ts";
import { useTestHost } from "./testing/use-test-host.ts";

const fixture = useTestHost({ isEnrolled: false });

describe("the command line", () => {
  it("prints its version and help", async () => {
    expect(await fixture.program.run("--version")).toEqual({
      code: 0,
      output: `${fixture.program.version}\n`,
    });
    for (const args of [["help"], ["--help"], []])
      expect(await fixture.program.run(...args)).toEqual({
        code: 0,
        output: expect.stringContaining("enroll --server URL"),
      });
  });

  it.each([
    [["dance"], 2, "Unknown command: dance"],
    [["run", "away"], 2, "Unknown command: run away"],
    [["run", "--wrong"], 2, "Unknown option '--wrong'"],
    [["enroll"], 2, "enroll requires --server URL and --code CODE."],
    [["enroll", "--server", "lightkeeper.example", "--code", "A"], 2, "isn't a valid server address"],
    [["enroll", "--server", "ftp://a", "--code", "A"], 2, "isn't a valid server address"],
  ])("rejects %j", async (args, code, message) => {
    expect(await fixture.program.run(...args)).toEqual({ code, output: expect.stringContaining(message) });
  });

  it.each(["run", "status", "unenroll"])("%s reports that the host is not enrolled", async (command) => {
    const { code, output } = await fixture.host.command(command);
    expect(code).toBe(3);
    expect(output).toMatch(/not enrolled/i);
    expect(output.trim().split("\n")).toHaveLength(1);
  });

  it("enrolls, runs, shows the status and unenrolls", async () => {
    expect(await fixture.host.enroll()).toEqual({
      code: 0,
      output: "Enrolled as web-1 (100.100.0.2) in Network1.\nTo start the agent: lightkeeper-agent run\n",
    });
    expect(await fixture.host.command("status")).toEqual({
      code: 4,
      output:
        "Enrolled as web-1 (100.100.0.2) in Network1\nThe agent isn't running. To start it: lightkeeper-agent run\n",
    });
    const agent = fixture.host.run();
    await until(() => fixture.host.server.receivedOf("ReportStatus").length > 0);
    expect(await fixture.host.command("status")).toEqual({
      code: 0,
      output: expect.stringMatching(/^Enrolled as web-1 .* · nebula 1\.9\.3 running since \S+Z · /),
    });
    const { output } = await fixture.host.command("status", "--json");
    expect(JSON.parse(output)).toMatchObject({
      isRunning: true,
      enrollment: { host: { name: "web-1" }, server: fixture.host.server.url },
      configHash: fixture.host.server.configHash(),
    });
    expect(output).not.toContain("KEY");

    expect(await fixture.host.command("run")).toEqual({
      code: 1,
      output: `The agent is already running on ${fixture.host.directory.directory} (process ${agent.pid}).\n`,
    });
    expect(await fixture.host.command("unenroll")).toMatchObject({ code: 2 });
    expect(await fixture.host.command("unenroll", "--yes")).toMatchObject({ code: 0 });
    expect(fixture.host.nebulas()).toEqual([]);
    expect(existsSync(fixture.host.directory.directory)).toBe(false);
  });

  it("warns of an unencrypted connection, except on this machine", async () => {
    expect((await fixture.host.enroll()).output).not.toContain("Warning");
    const args = ["--server", "http://192.0.2.1:1", "--code", "A", "--nebula", "/no/nebula", "--force"];
    expect((await fixture.host.command("enroll", ...args)).output).toContain(
      "the connection to http://192.0.2.1:1 isn't encrypted",
    );
  });
});
