/** The built agent as a process, with a fake nebula, against a server that misbehaves on request. */
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { State } from "./state.ts";
import type { AgentProgram } from "./testing/agent-process.ts";
import { buildAgentProgram, until } from "./testing/agent-process.ts";
import { DIES, DIES_WHEN_UP, REFUSED } from "./testing/fake-nebula.ts";
import { TestHost } from "./testing/host.ts";
import { reveals } from "./testing/secrets.ts";

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
  await host.enroll();
});
afterEach(() => host.remove());

const isUpToDate = () => host.report()?.configHash === host.server.configHash();
const withDevice = (value: string) => ({
  tags: [{ name: "a:b", priority: 1, firewallRules: [], configOverrides: [{ key: "tun.dev", value }] }],
});

async function runUntilCurrent() {
  const agent = host.run();
  await until(isUpToDate);
  return agent;
}

describe("a running agent", () => {
  it("runs nebula, reports what it runs, and ends it on the way out", async () => {
    const agent = await runUntilCurrent();
    expect(host.report()).toMatchObject({
      nebulaVersion: "1.9.3",
      error: null,
      appliedAt: expect.any(String),
    });
    expect(host.nebulas()).toHaveLength(1);
    expect(await agent.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(host.nebulas()).toEqual([]);
    expect(host.nebula.journal()).toEqual(["start", "end"]);
  });

  it("says who it is on every request and what it can do in every poll", async () => {
    await runUntilCurrent();
    await until(() => host.server.of("LongPollWait").length > 1);
    for (const { headers } of host.server.heard)
      expect(headers["user-agent"]).toMatch(/^lightkeeper-agent\/\d\S* \(linux; \w+\) nebula\/1\.9\.3$/);
    expect(host.server.of("LongPollWait")[0]?.value).toEqual({
      supportedActions: [
        "DoUpdate",
        "DoConfigUpdate",
        "StreamLogs",
        "CreateTunnel",
        "PrintTunnel",
        "PrintCert",
        "QueryLighthouse",
        "DebugStack",
      ],
    });
  });

  it("asks no more than once a second, however fast the answer", async () => {
    host.server.holdMs = 0;
    await runUntilCurrent();
    const before = host.server.of("LongPollWait").length;
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(host.server.of("LongPollWait").length - before).toBeLessThanOrEqual(4);
  });

  it("takes new rules by reload and a new certificate too", async () => {
    await runUntilCurrent();
    host.server.settings = { roleRules: [{ protocol: "ANY" }] };
    host.server.offer("DoConfigUpdate");
    await until(() => host.server.of("DoConfigUpdate").length === 1 && isUpToDate());
    host.server.offer("DoUpdate");
    await until(() => host.server.of("DoUpdate").length === 1 && isUpToDate());
    await until(() => host.nebula.journal().length === 3);
    expect(host.nebula.journal()).toEqual(["start", "reload", "reload"]);
    expect(host.directory.peek()).toMatchObject({ counter: 3, lastGood: { config: host.server.config } });
  });

  it("survives lost and broken answers to an update", async () => {
    await runUntilCurrent();
    for (const fault of ["lose the reply", "500 without errors", "foreign signature"] as const) {
      host.server.misbehave("DoUpdate", fault);
      host.server.offer("DoUpdate");
    }
    host.server.offer("DoUpdate");
    await until(() => host.server.of("DoUpdate").length === 4 && isUpToDate(), 60);
    expect(host.directory.peek()?.counter).toBe(2);
  });
});

describe("another nebula in the place of the last", () => {
  const replace = (script: string) => {
    const path = `${host.nebula.path}.new`;
    writeFileSync(path, script, { mode: 0o755 });
    renameSync(path, host.nebula.path);
  };

  it("is run instead of it, and the server hears of its version", async () => {
    const agent = await runUntilCurrent();
    const [before] = host.nebulas();
    replace(readFileSync(host.nebula.path, "utf8").replace("1.9.3", "1.10.0"));
    await until(() => host.report()?.nebulaVersion === "1.10.0" && isUpToDate(), 60);
    expect(host.server.heard.at(-1)?.headers["user-agent"]).toContain("nebula/1.10.0");
    expect(host.nebulas()).toHaveLength(1);
    expect(host.nebulas()).not.toContain(before);
    expect(agent.output()).toContain("There is another nebula: version 1.10.0.");
    host.server.offer("DoConfigUpdate");
    await until(() => host.server.of("DoConfigUpdate").length === 1 && isUpToDate());
    expect(await agent.kill("SIGTERM")).toMatchObject({ code: 0 });
  });

  it("is left alone when it does not run", async () => {
    const agent = await runUntilCurrent();
    const before = host.nebulas();
    replace("#!/bin/sh\nexit 1\n");
    await until(() => agent.output().includes("The last one goes on."), 60);
    rmSync(host.nebula.path);
    const polls = host.server.of("LongPollWait").length;
    await until(() => host.server.of("LongPollWait").length > polls + 1);
    expect(host.nebulas()).toEqual(before);
  });
});

describe("of several that start at once", () => {
  it("over what a killed one left, no two run", async () => {
    const first = await runUntilCurrent();
    await first.kill("SIGKILL");
    const agents = Array.from({ length: 6 }, () => host.run());
    await until(() => agents.filter((agent) => agent.output().includes("already running")).length >= 5, 60);
    const claims = host.directory.list().filter((name) => name.startsWith("run."));
    expect(claims.length).toBeLessThanOrEqual(1);
  });
});

describe("reports", () => {
  it("are sent one after the other, so that the last one tells what runs", async () => {
    await runUntilCurrent();
    const release = host.server.hold("ReportStatus");
    for (const [index, digit] of ["a", "b"].entries()) {
      host.server.settings = { blocklist: [digit.repeat(64)] };
      host.server.offer("DoConfigUpdate");
      await until(() => host.nebula.journal().filter((event) => event === "reload").length === index + 1);
    }
    const polls = host.server.of("LongPollWait").length;
    await until(() => host.server.of("LongPollWait").length > polls);
    // The one of the start, and the one that is not answered yet.
    expect(host.server.of("ReportStatus")).toHaveLength(2);
    release();
    await until(isUpToDate);
    expect(host.server.of("ReportStatus")).toHaveLength(3);
  });
});

describe("a nebula that dies", () => {
  it("is told to the server and started again", async () => {
    await runUntilCurrent();
    for (const pid of host.nebulas()) process.kill(pid, "SIGKILL");
    await until(() => host.report()?.error === "Nebula ended (SIGKILL).");
    expect(host.report()).toMatchObject({ configHash: "" });
    await until(() => host.report()?.error === null && isUpToDate());
    expect(host.nebula.journal()).toEqual(["start", "start"]);
  });
});

describe("a configuration that nebula", () => {
  it("refuses leaves the last one running, and the server hears why", async () => {
    await runUntilCurrent();
    const good = host.server.configHash();
    host.server.settings = withDevice(REFUSED);
    host.server.offer("DoConfigUpdate");
    await until(() => host.report()?.error !== null);
    expect(host.report()).toMatchObject({
      configHash: good,
      error: `Nebula refuses the configuration: Error while loading: ${REFUSED}`,
    });
    expect(host.nebula.journal()).toEqual(["start"]);
    const { output } = await host.command("status");
    expect(output).toContain("configuration older than the server's");
    expect(output).toContain("Nebula refuses the configuration");
    host.server.settings = {};
    host.server.offer("DoConfigUpdate");
    await until(() => host.report()?.error === null && isUpToDate());
  });

  it.each([DIES, DIES_WHEN_UP])("cannot start with is replaced by the last one: %s", async (fault) => {
    await runUntilCurrent();
    const good = host.server.configHash();
    host.server.settings = withDevice(fault);
    host.server.offer("DoConfigUpdate");
    await until(() => host.report()?.error !== null);
    expect(host.report()).toMatchObject({
      configHash: good,
      error: "Nebula ended at once: address already in use",
    });
    expect(host.nebulas()).toHaveLength(1);
  });

  it("that comes while another is being applied does not keep it from that one", async () => {
    const good = host.server.configHash();
    host.server.settings = withDevice(REFUSED);
    host.server.offer("DoConfigUpdate");
    const agent = host.run();
    await until(() => Boolean(host.report()?.error));
    await agent.kill("SIGKILL");
    const reports = host.server.of("ReportStatus").length;
    host.run();
    await until(() => host.server.of("ReportStatus").length > reports);
    expect(host.report()).toMatchObject({ configHash: good, error: expect.stringContaining(REFUSED) });
  });

  it("refused before a restart of the agent does not keep it from the last good one", async () => {
    const agent = await runUntilCurrent();
    const good = host.server.configHash();
    host.server.settings = withDevice(REFUSED);
    host.server.offer("DoConfigUpdate");
    await until(() => host.report()?.error !== null);
    await agent.kill("SIGKILL");
    const reports = host.server.of("ReportStatus").length;
    host.run();
    await until(() => host.server.of("ReportStatus").length > reports);
    expect(host.report()).toMatchObject({ configHash: good, error: expect.stringContaining(REFUSED) });
    expect(host.nebulas()).toHaveLength(1);
  });
});

describe("without its server", () => {
  it("the agent starts nebula, waits, and goes on when the server is back", async () => {
    const port = Number(new URL(host.server.url).port);
    await host.server.stop();
    host.run();
    await until(() => host.nebulas().length === 1);
    const { output, code } = await host.command("status");
    expect(code).toBe(0);
    expect(output).toMatch(/no contact with the server yet\nhttp:\S+ did not answer: /);
    await host.server.start(port);
    await until(isUpToDate);
    expect((await host.command("status")).output).toMatch(
      /configuration up to date · last contact \d s ago\n$/,
    );
  });

  it("a blocked host keeps nebula, asks rarely, and says what to do", async () => {
    await runUntilCurrent();
    host.server.isBlocked = true;
    let output = "";
    await until(() => {
      output = readFileSync(host.directory.path("status.json"), "utf8");
      return output.includes("blocked, deleted or enrolled anew");
    });
    host.server.isBlocked = false;
    const polls = host.server.of("LongPollWait").length;
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(host.server.of("LongPollWait")).toHaveLength(polls);
    expect(host.nebulas()).toHaveLength(1);
  });

  it("a host enrolled anew is taken over by the running agent", async () => {
    await runUntilCurrent();
    host.server.misbehave("LongPollWait", "401");
    await until(() => readFileSync(host.directory.path("status.json"), "utf8").includes("enrolled anew"));
    expect(await host.enroll()).toMatchObject({
      code: 1,
      output: expect.stringContaining("already enrolled"),
    });
    const before = host.server.heard.length;
    expect(await host.enroll("--force")).toMatchObject({ code: 0 });
    await until(
      () => host.server.heard.slice(before).some(({ type }) => type === "ReportStatus") && isUpToDate(),
    );
    await until(() => host.nebula.journal().length === 3);
    expect(host.nebula.journal()).toEqual(["start", "end", "start"]);
    expect(host.directory.list()).not.toContain("enrollment.json");
  });

  it("a clock that is off is told in the status", async () => {
    host.server.clockMs = 3_600_000;
    await runUntilCurrent();
    expect((await host.command("status")).output).toContain("60 min behind the server's");
  });
});

describe("a debug command", () => {
  it("is answered under its token, with words when nebula's console is not there", async () => {
    await runUntilCurrent();
    host.server.offer("PrintTunnel", { target: "100.100.0.1" }, "token-1");
    await until(() => host.server.of("CommandResponse").length === 1);
    expect(host.server.of("CommandResponse")[0]?.value).toEqual({
      responseToken: "token-1",
      response: expect.stringMatching(/^Nebula's debug console did not answer: /),
    });
  });

  it("streams the log after the envelope, while updates go on", async () => {
    await runUntilCurrent();
    host.server.offer("StreamLogs", { durationSeconds: 4, level: "info" }, "token-2");
    await until(() => host.server.of("LongPollWait").length > 2);
    host.server.settings = { roleRules: [{ protocol: "ANY" }] };
    host.server.offer("DoConfigUpdate");
    await until(() => host.server.streams.length === 1);
    expect(host.server.of("CommandResponse")[0]?.value).toEqual({ responseToken: "token-2", response: null });
    const lines = (host.server.streams[0] ?? "")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({
      durationSeconds: 4,
      level: "info",
      msg: "Log streaming session started",
    });
    expect(lines).toContainEqual({ level: "info", msg: "Caught HUP" });
  });
});

describe("private keys", () => {
  const keysOf = () => {
    const state = host.directory.peek();
    return [state?.hostKey ?? "", state?.intended.nebulaKey ?? ""];
  };

  it("are in no command line, environment, output or request, and in no file others can read", async () => {
    const keys = keysOf();
    const agent = await runUntilCurrent();
    host.server.offer("DoUpdate");
    await until(() => host.server.of("DoUpdate").length === 1 && isUpToDate());
    host.server.offer("PrintCert", {}, "token-1");
    host.server.offer("DebugStack", {}, "token-2");
    host.server.offer("StreamLogs", { durationSeconds: 1, level: "debug" }, "token-3");
    await until(() => host.server.of("CommandResponse").length === 3);
    host.server.settings = withDevice(REFUSED);
    host.server.offer("DoConfigUpdate");
    await until(() => host.report()?.error !== null);
    await until(() => host.server.streams.length === 1);
    keys.push(...keysOf());
    expect(new Set(keys).size).toBe(4);

    const processes = [agent.pid, ...host.nebulas()].flatMap((pid) =>
      ["cmdline", "environ"].map((file) => readFileSync(`/proc/${pid}/${file}`, "utf8")),
    );
    const log = readFileSync(host.directory.path("nebula.log"), "utf8");
    const told = [readFileSync(host.directory.path("status.json"), "utf8"), agent.output(), log];
    const sent = [...host.server.bodies, ...host.server.streams];
    expect(told.join("")).toContain("Nebula interface is active");
    expect(host.server.bodies.length).toBeGreaterThan(8);
    for (const text of [...processes, ...told, ...sent]) expect(reveals(text, keys)).toBe(false);
    expect(reveals(JSON.stringify(host.directory.peek()), keys)).toBe(true);
    expect(reveals(Buffer.from(Buffer.from(keys[3] ?? "")).toString("base64"), keys)).toBe(true);
    const isOpen = (name: string) => (statSync(host.directory.path(name)).mode & 0o077) !== 0;
    expect(readdirSync(host.directory.directory).filter(isOpen)).toEqual([]);
  });

  it.each([
    ["a host key that is none", (state: State) => ({ ...state, hostKey: state.hostKey.replace("M", "!") })],
    [
      "a configuration that is none",
      (state: State) => ({ ...state, intended: { ...state.intended, config: "]" } }),
    ],
    ["half a state", ({ format, hostKey, intended }: State) => ({ format, hostKey, intended })],
  ])("are not in what it says when it falls over %s", async (_what, damage) => {
    const keys = keysOf();
    const state = host.directory.peek() as State;
    rmSync(host.directory.path("enrollment.json"));
    writeFileSync(host.directory.path("state.json"), JSON.stringify(damage(state)));
    const agent = host.run();
    await until(() => agent.output() !== "", 60);
    const { output } = await agent.kill("SIGABRT");
    expect(output).not.toBe("");
    expect(reveals(output, keys)).toBe(false);
  });
});
