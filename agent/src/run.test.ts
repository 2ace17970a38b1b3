/** The built agent as a process, with a fake nebula, against a server double that can fail on request. */
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { State } from "./state.ts";
import type { AgentProgram } from "./testing/agent-program.ts";
import { buildAgentProgram, until } from "./testing/agent-program.ts";
import { DIES, DIES_WHEN_UP, REJECTED } from "./testing/fake-nebula.ts";
import { TestHost } from "./testing/test-host.ts";
import { revealsPrivateKey } from "./testing/private-keys.ts";

// These tests start many processes, possibly on a busy machine.
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
  it("runs nebula, reports its configuration, and stops nebula when it exits", async () => {
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

  it("sends its user agent with every request and its supported actions with every poll", async () => {
    await runUntilCurrent();
    await until(() => host.server.receivedOf("LongPollWait").length > 1);
    for (const { headers } of host.server.received)
      expect(headers["user-agent"]).toMatch(/^lightkeeper-agent\/\d\S* \(linux; \w+\) nebula\/1\.9\.3$/);
    expect(host.server.receivedOf("LongPollWait")[0]?.value).toEqual({
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

  it("polls at most once a second, even if replies are immediate", async () => {
    host.server.pollTimeoutMs = 0;
    await runUntilCurrent();
    const before = host.server.receivedOf("LongPollWait").length;
    const startedAt = performance.now();
    await until(() => host.server.receivedOf("LongPollWait").length >= before + 4);
    // Four polls have three pauses between them; a busy machine may receive the first one late.
    expect(performance.now() - startedAt).toBeGreaterThan(2500);
  });

  it("applies new rules and a new certificate with a reload", async () => {
    await runUntilCurrent();
    host.server.settings = { roleRules: [{ protocol: "ANY" }] };
    host.server.enqueueAction("DoConfigUpdate");
    await until(() => host.server.receivedOf("DoConfigUpdate").length === 1 && isUpToDate());
    host.server.enqueueAction("DoUpdate");
    await until(() => host.server.receivedOf("DoUpdate").length === 1 && isUpToDate());
    await until(() => host.nebula.journal().length === 3);
    expect(host.nebula.journal()).toEqual(["start", "reload", "reload"]);
    expect(host.directory.peek()).toMatchObject({ counter: 3, lastGood: { config: host.server.config } });
  });

  it("recovers from lost and invalid replies to an update", async () => {
    await runUntilCurrent();
    for (const failure of ["lose the reply", "500 without errors", "foreign signature"] as const) {
      host.server.failNext("DoUpdate", failure);
      host.server.enqueueAction("DoUpdate");
    }
    host.server.enqueueAction("DoUpdate");
    await until(() => host.server.receivedOf("DoUpdate").length === 4 && isUpToDate(), 60);
    expect(host.directory.peek()?.counter).toBe(2);
  });
});

describe("a replaced nebula program", () => {
  const replace = (script: string) => {
    const path = `${host.nebula.path}.new`;
    writeFileSync(path, script, { mode: 0o755 });
    renameSync(path, host.nebula.path);
  };

  it("is started, and its version is reported to the server", async () => {
    const agent = await runUntilCurrent();
    const [before] = host.nebulas();
    replace(readFileSync(host.nebula.path, "utf8").replace("1.9.3", "1.10.0"));
    await until(() => host.report()?.nebulaVersion === "1.10.0" && isUpToDate(), 60);
    expect(host.server.received.at(-1)?.headers["user-agent"]).toContain("nebula/1.10.0");
    expect(host.nebulas()).toHaveLength(1);
    expect(host.nebulas()).not.toContain(before);
    expect(agent.output()).toContain("Nebula was replaced: version 1.10.0.");
    host.server.enqueueAction("DoConfigUpdate");
    await until(() => host.server.receivedOf("DoConfigUpdate").length === 1 && isUpToDate());
    expect(await agent.kill("SIGTERM")).toMatchObject({ code: 0 });
  });

  it("is ignored if it can't run", async () => {
    const agent = await runUntilCurrent();
    const before = host.nebulas();
    replace("#!/bin/sh\nexit 1\n");
    await until(() => agent.output().includes("The previous Nebula keeps running."), 60);
    rmSync(host.nebula.path);
    const polls = host.server.receivedOf("LongPollWait").length;
    await until(() => host.server.receivedOf("LongPollWait").length > polls + 1);
    expect(host.nebulas()).toEqual(before);
  });
});

describe("several agents that start at the same time", () => {
  it("never run together, even with the files of a killed agent", async () => {
    const first = await runUntilCurrent();
    await first.kill("SIGKILL");
    const agents = Array.from({ length: 6 }, () => host.run());
    await until(() => agents.filter((agent) => agent.output().includes("already running")).length >= 5, 60);
    const claims = host.directory.list().filter((name) => name.startsWith("run."));
    expect(claims.length).toBeLessThanOrEqual(1);
  });
});

describe("reports", () => {
  it("are sent one at a time, so that the last one has the current configuration", async () => {
    await runUntilCurrent();
    const resumeReplies = host.server.pauseReplies("ReportStatus");
    for (const [index, digit] of ["a", "b"].entries()) {
      host.server.settings = { blocklist: [digit.repeat(64)] };
      host.server.enqueueAction("DoConfigUpdate");
      await until(() => host.nebula.journal().filter((event) => event === "reload").length === index + 1);
    }
    const polls = host.server.receivedOf("LongPollWait").length;
    await until(() => host.server.receivedOf("LongPollWait").length > polls);
    // The report after the start, and the one that waits for its reply.
    expect(host.server.receivedOf("ReportStatus")).toHaveLength(2);
    resumeReplies();
    await until(isUpToDate);
    expect(host.server.receivedOf("ReportStatus")).toHaveLength(3);
  });
});

describe("a nebula that crashes", () => {
  it("is reported to the server and started again", async () => {
    await runUntilCurrent();
    for (const pid of host.nebulas()) process.kill(pid, "SIGKILL");
    await until(() => host.report()?.error === "Nebula exited (SIGKILL).");
    expect(host.report()).toMatchObject({ configHash: "" });
    await until(() => host.report()?.error === null && isUpToDate());
    expect(host.nebula.journal()).toEqual(["start", "start"]);
  });
});

describe("a configuration", () => {
  it("that nebula rejects leaves the last one running, and the reason is reported", async () => {
    await runUntilCurrent();
    const good = host.server.configHash();
    host.server.settings = withDevice(REJECTED);
    host.server.enqueueAction("DoConfigUpdate");
    await until(() => host.report()?.error !== null);
    expect(host.report()).toMatchObject({
      configHash: good,
      error: `Nebula rejected the configuration: Error while loading: ${REJECTED}`,
    });
    expect(host.nebula.journal()).toEqual(["start"]);
    const { output } = await host.command("status");
    expect(output).toContain("configuration out of date");
    expect(output).toContain("Nebula rejected the configuration");
    host.server.settings = {};
    host.server.enqueueAction("DoConfigUpdate");
    await until(() => host.report()?.error === null && isUpToDate());
  });

  it.each([DIES, DIES_WHEN_UP])(
    "that nebula can't start with is replaced by the last good one: %s",
    async (failure) => {
      await runUntilCurrent();
      const good = host.server.configHash();
      host.server.settings = withDevice(failure);
      host.server.enqueueAction("DoConfigUpdate");
      await until(() => host.report()?.error !== null);
      expect(host.report()).toMatchObject({
        configHash: good,
        error: "Nebula exited immediately: address already in use",
      });
      expect(host.nebulas()).toHaveLength(1);
    },
  );

  it("that is rejected while another is being applied doesn't prevent the other", async () => {
    const good = host.server.configHash();
    host.server.settings = withDevice(REJECTED);
    host.server.enqueueAction("DoConfigUpdate");
    const agent = host.run();
    await until(() => Boolean(host.report()?.error));
    await agent.kill("SIGKILL");
    const reports = host.server.receivedOf("ReportStatus").length;
    host.run();
    await until(() => host.server.receivedOf("ReportStatus").length > reports);
    expect(host.report()).toMatchObject({ configHash: good, error: expect.stringContaining(REJECTED) });
  });

  it("that was rejected before a restart of the agent doesn't prevent the last good one", async () => {
    const agent = await runUntilCurrent();
    const good = host.server.configHash();
    host.server.settings = withDevice(REJECTED);
    host.server.enqueueAction("DoConfigUpdate");
    await until(() => host.report()?.error !== null);
    await agent.kill("SIGKILL");
    const reports = host.server.receivedOf("ReportStatus").length;
    host.run();
    await until(() => host.server.receivedOf("ReportStatus").length > reports);
    expect(host.report()).toMatchObject({ configHash: good, error: expect.stringContaining(REJECTED) });
    expect(host.nebulas()).toHaveLength(1);
  });
});

describe("without its server", () => {
  it("the agent starts nebula, waits, and continues when the server is back", async () => {
    const port = Number(new URL(host.server.url).port);
    await host.server.stop();
    host.run();
    await until(() => host.nebulas().length === 1);
    const { output, code } = await host.command("status");
    expect(code).toBe(0);
    expect(output).toMatch(/never connected to the server\nCan't reach http:\S+: /);
    await host.server.start(port);
    await until(isUpToDate);
    expect((await host.command("status")).output).toMatch(
      /configuration up to date · last contact \d s ago\n$/,
    );
  });

  it("a blocked host keeps nebula running, polls rarely, and shows what to do", async () => {
    await runUntilCurrent();
    host.server.isBlocked = true;
    let output = "";
    await until(() => {
      output = readFileSync(host.directory.path("status.json"), "utf8");
      return output.includes("blocked, deleted or enrolled again");
    });
    host.server.isBlocked = false;
    const polls = host.server.receivedOf("LongPollWait").length;
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(host.server.receivedOf("LongPollWait")).toHaveLength(polls);
    expect(host.nebulas()).toHaveLength(1);
  });

  it("the running agent switches to a new enrollment", async () => {
    await runUntilCurrent();
    host.server.failNext("LongPollWait", "401");
    await until(() => readFileSync(host.directory.path("status.json"), "utf8").includes("enrolled again"));
    expect(await host.enroll()).toMatchObject({
      code: 1,
      output: expect.stringContaining("already enrolled"),
    });
    const before = host.server.received.length;
    expect(await host.enroll("--force")).toMatchObject({ code: 0 });
    await until(
      () => host.server.received.slice(before).some(({ type }) => type === "ReportStatus") && isUpToDate(),
    );
    await until(() => host.nebula.journal().length === 3);
    expect(host.nebula.journal()).toEqual(["start", "end", "start"]);
    expect(host.directory.list()).not.toContain("enrollment.json");
  });

  it("a wrong clock is shown in the status", async () => {
    host.server.clockMs = 3_600_000;
    await runUntilCurrent();
    expect((await host.command("status")).output).toContain("60 min behind the server's");
  });
});

describe("a debug command", () => {
  it("is answered with its token, and with a message if nebula's debug console is unavailable", async () => {
    await runUntilCurrent();
    host.server.enqueueAction("PrintTunnel", { target: "100.100.0.1" }, "token-1");
    await until(() => host.server.receivedOf("CommandResponse").length === 1);
    expect(host.server.receivedOf("CommandResponse")[0]?.value).toEqual({
      responseToken: "token-1",
      response: expect.stringMatching(/^Can't reach Nebula's debug console: /),
    });
  });

  it("streams the log after the envelope while updates continue", async () => {
    await runUntilCurrent();
    host.server.enqueueAction("StreamLogs", { durationSeconds: 4, level: "info" }, "token-2");
    await until(() => host.server.receivedOf("LongPollWait").length > 2);
    host.server.settings = { roleRules: [{ protocol: "ANY" }] };
    host.server.enqueueAction("DoConfigUpdate");
    await until(() => host.server.streams.length === 1);
    expect(host.server.receivedOf("CommandResponse")[0]?.value).toEqual({
      responseToken: "token-2",
      response: null,
    });
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

  it("are in no command line, environment, output or request, and in no file that others can read", async () => {
    const keys = keysOf();
    const agent = await runUntilCurrent();
    host.server.enqueueAction("DoUpdate");
    await until(() => host.server.receivedOf("DoUpdate").length === 1 && isUpToDate());
    host.server.enqueueAction("PrintCert", {}, "token-1");
    host.server.enqueueAction("DebugStack", {}, "token-2");
    host.server.enqueueAction("StreamLogs", { durationSeconds: 1, level: "debug" }, "token-3");
    await until(() => host.server.receivedOf("CommandResponse").length === 3);
    host.server.settings = withDevice(REJECTED);
    host.server.enqueueAction("DoConfigUpdate");
    await until(() => host.report()?.error !== null);
    await until(() => host.server.streams.length === 1);
    keys.push(...keysOf());
    expect(new Set(keys).size).toBe(4);

    const processes = [agent.pid, ...host.nebulas()].flatMap((pid) =>
      ["cmdline", "environ"].map((file) => readFileSync(`/proc/${pid}/${file}`, "utf8")),
    );
    const log = readFileSync(host.directory.path("nebula.log"), "utf8");
    const output = [readFileSync(host.directory.path("status.json"), "utf8"), agent.output(), log];
    const sent = [...host.server.bodies, ...host.server.streams];
    expect(output.join("")).toContain("Nebula interface is active");
    expect(host.server.bodies.length).toBeGreaterThan(8);
    for (const text of [...processes, ...output, ...sent]) expect(revealsPrivateKey(text, keys)).toBe(false);
    expect(revealsPrivateKey(JSON.stringify(host.directory.peek()), keys)).toBe(true);
    expect(revealsPrivateKey(Buffer.from(Buffer.from(keys[3] ?? "")).toString("base64"), keys)).toBe(true);
    const isOpen = (name: string) => (statSync(host.directory.path(name)).mode & 0o077) !== 0;
    expect(readdirSync(host.directory.directory).filter(isOpen)).toEqual([]);
  });

  it.each([
    ["an invalid host key", (state: State) => ({ ...state, hostKey: state.hostKey.replace("M", "!") })],
    [
      "an invalid configuration",
      (state: State) => ({ ...state, intended: { ...state.intended, config: "]" } }),
    ],
    ["an incomplete state", ({ format, hostKey, intended }: State) => ({ format, hostKey, intended })],
  ])("are not printed when the agent fails because of %s", async (_what, damage) => {
    const keys = keysOf();
    const state = host.directory.peek() as State;
    rmSync(host.directory.path("enrollment.json"));
    writeFileSync(host.directory.path("state.json"), JSON.stringify(damage(state)));
    const agent = host.run();
    await until(() => agent.output() !== "", 60);
    const { output } = await agent.kill("SIGABRT");
    expect(output).not.toBe("");
    expect(revealsPrivateKey(output, keys)).toBe(false);
  });
});
