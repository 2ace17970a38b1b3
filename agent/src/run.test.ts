/** An agent that runs, with its server and nebula working. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { until } from "./testing/agent-program.ts";
import { useTestHost } from "./testing/use-test-host.ts";

const fixture = useTestHost({ isEnrolled: true });

describe("a running agent", () => {
  it("runs nebula, reports its configuration, and stops nebula when it exits", async () => {
    const agent = await fixture.runUntilCurrent();
    expect(fixture.host.report()).toMatchObject({
      nebulaVersion: "1.9.3",
      error: null,
      appliedAt: expect.any(String),
    });
    expect(fixture.host.nebulas()).toHaveLength(1);
    expect(await agent.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(fixture.host.nebulas()).toEqual([]);
    expect(fixture.host.nebula.journal()).toEqual(["start", "end"]);
  });

  it("sends its user agent with every request and its supported actions with every poll", async () => {
    await fixture.runUntilCurrent();
    await until(() => fixture.host.server.receivedOf("LongPollWait").length > 1);
    for (const { headers } of fixture.host.server.received)
      expect(headers["user-agent"]).toMatch(/^lightkeeper-agent\/\d\S* \(linux; \w+\) nebula\/1\.9\.3$/);
    expect(fixture.host.server.receivedOf("LongPollWait")[0]?.value).toEqual({
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
      update: { edPubkeyPEM: expect.any(String), p256HostPubkeyPEM: null, nonce: expect.any(String) },
    });
  });

  it("polls at most once a second, even if replies are immediate", async () => {
    fixture.host.server.pollTimeoutMs = 0;
    await fixture.runUntilCurrent();
    const before = fixture.host.server.receivedOf("LongPollWait").length;
    const startedAt = performance.now();
    await until(() => fixture.host.server.receivedOf("LongPollWait").length >= before + 4);
    // Four polls have three pauses between them; a busy machine may receive the first poll late.
    expect(performance.now() - startedAt).toBeGreaterThan(2500);
  });

  it("applies new rules and a new certificate with a reload", async () => {
    await fixture.runUntilCurrent();
    fixture.host.server.settings = { roleRules: [{ protocol: "ANY" }] };
    fixture.host.server.enqueueAction("DoConfigUpdate");
    await until(() => fixture.host.server.receivedOf("DoConfigUpdate").length === 1 && fixture.isUpToDate());
    fixture.host.server.enqueueAction("DoUpdate");
    await until(() => fixture.host.server.receivedOf("DoUpdate").length === 1 && fixture.isUpToDate());
    await until(() => fixture.host.nebula.journal().length === 3);
    expect(fixture.host.nebula.journal()).toEqual(["start", "reload", "reload"]);
    expect(fixture.host.directory.peek()).toMatchObject({
      counter: 3,
      lastGood: { config: fixture.host.server.config },
    });
  });

  it("recovers from lost and invalid replies to an update", async () => {
    await fixture.runUntilCurrent();
    for (const failure of ["lose the reply", "500 without errors", "foreign signature"] as const) {
      fixture.host.server.failNext("DoUpdate", failure);
      fixture.host.server.enqueueAction("DoUpdate");
    }
    fixture.host.server.enqueueAction("DoUpdate");
    await until(() => fixture.host.server.receivedOf("DoUpdate").length === 4 && fixture.isUpToDate(), 60);
    expect(fixture.host.directory.peek()?.counter).toBe(2);
  });
});

describe("a configuration with the reply to a poll", () => {
  const messagesSince = (count: number) => fixture.host.server.received.slice(count).map(({ type }) => type);
  const sendUpdate = (digit: string) => {
    fixture.host.server.settings = { blocklist: [digit.repeat(64)] };
    fixture.host.server.enqueueAction("DoConfigUpdate");
  };

  it("is applied with a reload and reported, without another request", async () => {
    await fixture.runUntilCurrent();
    fixture.host.server.sendsUpdates = {};
    sendUpdate("a");
    await until(() => fixture.host.server.updateCount === 1 && fixture.isUpToDate());
    expect(fixture.host.nebula.journal()).toEqual(["start", "reload"]);
    expect(fixture.host.directory.peek()).toMatchObject({
      counter: 2,
      intended: { config: fixture.host.server.config },
    });
    expect(fixture.host.server.receivedOf("DoConfigUpdate")).toEqual([]);
  });

  it("is applied immediately and reported with the next poll if the server asks for a pause", async () => {
    await fixture.runUntilCurrent();
    fixture.host.server.sendsUpdates = { pauseSeconds: 2 };
    sendUpdate("b");
    await until(() => fixture.host.nebula.journal().includes("reload"));
    const before = fixture.host.server.received.length;
    await until(fixture.isUpToDate);
    expect(messagesSince(before)).toEqual(["LongPollWait"]);
    await until(() => fixture.host.server.receivedOf("LongPollWait").at(-1)?.value?.status === undefined);
    expect(messagesSince(before)).not.toContain("ReportStatus");
  });

  it.each(["lose the reply", "500 without errors"] as const)(
    "is reported even if the poll with the report fails: %s",
    async (failure) => {
      await fixture.runUntilCurrent();
      fixture.host.server.sendsUpdates = { pauseSeconds: 1 };
      sendUpdate("c");
      await until(() => fixture.host.nebula.journal().includes("reload"));
      fixture.host.server.failNext("LongPollWait", failure);
      const { server } = fixture.host;
      const reports = () =>
        fixture.host.reports().filter(({ configHash }) => configHash === server.configHash());
      await until(() => reports().length === 2, 60);
    },
  );

  it("is ignored if it's invalid, and the next one is applied", async () => {
    await fixture.runUntilCurrent();
    fixture.host.server.sendsUpdates = {};
    const failures = ["foreign signature", "wrong nonce", "same counter", "lose the reply"] as const;
    for (const failure of failures) {
      fixture.host.server.failNext("LongPollWait", failure);
      sendUpdate("d");
    }
    sendUpdate("e");
    await until(() => fixture.host.server.updateCount === failures.length + 1 && fixture.isUpToDate(), 60);
    expect(fixture.host.directory.peek()?.counter).toBe(2);
    expect(fixture.host.nebula.journal()).toEqual(["start", "reload"]);
  });
});

describe("a replaced nebula program", () => {
  const replace = (script: string) => {
    const path = `${fixture.host.nebula.path}.new`;
    writeFileSync(path, script, { mode: 0o755 });
    renameSync(path, fixture.host.nebula.path);
  };

  it("is started, and its version is reported to the server", async () => {
    const agent = await fixture.runUntilCurrent();
    const [before] = fixture.host.nebulas();
    replace(readFileSync(fixture.host.nebula.path, "utf8").replace("1.9.3", "1.10.0"));
    await until(() => fixture.host.report()?.nebulaVersion === "1.10.0" && fixture.isUpToDate(), 60);
    expect(fixture.host.server.received.at(-1)?.headers["user-agent"]).toContain("nebula/1.10.0");
    expect(fixture.host.nebulas()).toHaveLength(1);
    expect(fixture.host.nebulas()).not.toContain(before);
    expect(agent.output()).toContain("Nebula was replaced: version 1.10.0.");
    fixture.host.server.enqueueAction("DoConfigUpdate");
    await until(() => fixture.host.server.receivedOf("DoConfigUpdate").length === 1 && fixture.isUpToDate());
    expect(await agent.kill("SIGTERM")).toMatchObject({ code: 0 });
  });

  it("is ignored if it can't run", async () => {
    const agent = await fixture.runUntilCurrent();
    const before = fixture.host.nebulas();
    replace("#!/bin/sh\nexit 1\n");
    await until(() => agent.output().includes("The previous Nebula keeps running."), 60);
    rmSync(fixture.host.nebula.path);
    const polls = fixture.host.server.receivedOf("LongPollWait").length;
    await until(() => fixture.host.server.receivedOf("LongPollWait").length > polls + 1);
    expect(fixture.host.nebulas()).toEqual(before);
  });
});

describe("several agents that start at the same time", () => {
  it("never run together, even with the files of a killed agent", async () => {
    const first = await fixture.runUntilCurrent();
    await first.kill("SIGKILL");
    const agents = Array.from({ length: 6 }, () => fixture.host.run());
    await until(() => agents.filter((agent) => agent.output().includes("already running")).length >= 5, 60);
    const claims = fixture.host.directory.list().filter((name) => name.startsWith("run."));
    expect(claims.length).toBeLessThanOrEqual(1);
  });
});

describe("reports", () => {
  it("are sent one at a time, so that the last report has the current configuration", async () => {
    await fixture.runUntilCurrent();
    const resumeReplies = fixture.host.server.pauseReplies("ReportStatus");
    for (const [index, digit] of ["a", "b"].entries()) {
      fixture.host.server.settings = { blocklist: [digit.repeat(64)] };
      fixture.host.server.enqueueAction("DoConfigUpdate");
      await until(
        () => fixture.host.nebula.journal().filter((event) => event === "reload").length === index + 1,
      );
    }
    const polls = fixture.host.server.receivedOf("LongPollWait").length;
    await until(() => fixture.host.server.receivedOf("LongPollWait").length > polls);
    // The report after the start, and the report that waits for its reply.
    expect(fixture.host.server.receivedOf("ReportStatus")).toHaveLength(2);
    resumeReplies();
    await until(fixture.isUpToDate);
    expect(fixture.host.server.receivedOf("ReportStatus")).toHaveLength(3);
  });
});

describe("a nebula that crashes", () => {
  it("is reported to the server and started again", async () => {
    await fixture.runUntilCurrent();
    for (const pid of fixture.host.nebulas()) process.kill(pid, "SIGKILL");
    await until(() => fixture.host.report()?.error === "Nebula exited (SIGKILL).");
    expect(fixture.host.report()).toMatchObject({ configHash: "" });
    await until(() => fixture.host.report()?.error === null && fixture.isUpToDate());
    expect(fixture.host.nebula.journal()).toEqual(["start", "start"]);
  });
});

describe("a debug command", () => {
  it("is answered with its token, and with a message if nebula's debug console is unavailable", async () => {
    await fixture.runUntilCurrent();
    fixture.host.server.enqueueAction("PrintTunnel", { target: "100.100.0.1" }, "token-1");
    await until(() => fixture.host.server.receivedOf("CommandResponse").length === 1);
    expect(fixture.host.server.receivedOf("CommandResponse")[0]?.value).toEqual({
      responseToken: "token-1",
      response: expect.stringMatching(/^Can't reach Nebula's debug console: /),
    });
  });

  it("streams the log after the envelope while updates continue", async () => {
    await fixture.runUntilCurrent();
    fixture.host.server.enqueueAction("StreamLogs", { durationSeconds: 4, level: "info" }, "token-2");
    await until(() => fixture.host.server.receivedOf("LongPollWait").length > 2);
    fixture.host.server.settings = { roleRules: [{ protocol: "ANY" }] };
    fixture.host.server.enqueueAction("DoConfigUpdate");
    await until(() => fixture.host.server.streams.length === 1);
    expect(fixture.host.server.receivedOf("CommandResponse")[0]?.value).toEqual({
      responseToken: "token-2",
      response: null,
    });
    const lines = (fixture.host.server.streams[0] ?? "")
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
