/** An agent whose nebula rejects configurations, or whose server is unavailable. */
import { readFileSync } from "node:fs";
import { HOUR_MS } from "@lightkeeper/contract/durations";
import { describe, expect, it } from "vitest";
import { until } from "./testing/agent-program.ts";
import { DIES, DIES_WHEN_UP, REJECTED } from "./testing/fake-nebula.ts";
import { useTestHost, withDevice } from "./testing/use-test-host.ts";

const fixture = useTestHost({ isEnrolled: true });

describe("a configuration", () => {
  it("that nebula rejects doesn't replace the running configuration, and the reason is reported", async () => {
    await fixture.runUntilCurrent();
    const good = fixture.host.server.configHash();
    fixture.host.server.settings = withDevice(REJECTED);
    fixture.host.server.enqueueAction("DoConfigUpdate");
    await until(() => fixture.host.report()?.error !== null);
    expect(fixture.host.report()).toMatchObject({
      configHash: good,
      error: `Nebula rejected the configuration: Error while loading: ${REJECTED}`,
    });
    expect(fixture.host.nebula.journal()).toEqual(["start"]);
    const { output } = await fixture.host.command("status");
    expect(output).toContain("configuration out of date");
    expect(output).toContain("Nebula rejected the configuration");
    fixture.host.server.settings = {};
    fixture.host.server.enqueueAction("DoConfigUpdate");
    await until(() => fixture.host.report()?.error === null && fixture.isUpToDate());
  });

  it.each([DIES, DIES_WHEN_UP])(
    "that nebula can't start with is replaced by the last good configuration: %s",
    async (failure) => {
      await fixture.runUntilCurrent();
      const good = fixture.host.server.configHash();
      fixture.host.server.settings = withDevice(failure);
      fixture.host.server.enqueueAction("DoConfigUpdate");
      await until(() => fixture.host.report()?.error !== null);
      expect(fixture.host.report()).toMatchObject({
        configHash: good,
        error: "Nebula exited immediately: address already in use",
      });
      expect(fixture.host.nebulas()).toHaveLength(1);
    },
  );

  it("that is rejected while another is being applied doesn't prevent the other", async () => {
    const good = fixture.host.server.configHash();
    fixture.host.server.settings = withDevice(REJECTED);
    fixture.host.server.enqueueAction("DoConfigUpdate");
    const agent = fixture.host.run();
    await until(() => Boolean(fixture.host.report()?.error));
    await agent.kill("SIGKILL");
    const reports = fixture.host.server.receivedOf("ReportStatus").length;
    fixture.host.run();
    await until(() => fixture.host.server.receivedOf("ReportStatus").length > reports);
    expect(fixture.host.report()).toMatchObject({
      configHash: good,
      error: expect.stringContaining(REJECTED),
    });
  });

  it("that was rejected before a restart of the agent doesn't prevent the last good configuration", async () => {
    const agent = await fixture.runUntilCurrent();
    const good = fixture.host.server.configHash();
    fixture.host.server.settings = withDevice(REJECTED);
    fixture.host.server.enqueueAction("DoConfigUpdate");
    await until(() => fixture.host.report()?.error !== null);
    await agent.kill("SIGKILL");
    const reports = fixture.host.server.receivedOf("ReportStatus").length;
    fixture.host.run();
    await until(() => fixture.host.server.receivedOf("ReportStatus").length > reports);
    expect(fixture.host.report()).toMatchObject({
      configHash: good,
      error: expect.stringContaining(REJECTED),
    });
    expect(fixture.host.nebulas()).toHaveLength(1);
  });
});

it("logs the ID of a failed request, and sends another one with each request", async () => {
  const { server } = fixture.host;
  const idsOf = (type: string) =>
    server.receivedOf(type).map(({ headers }) => String(headers["x-request-id"]));
  server.failNext("LongPollWait", "500 without errors");
  server.failNext("LongPollWait", "lose the reply");
  const agent = await fixture.runUntilCurrent();
  await until(() => agent.output().includes("socket hang up."));
  const [rejected, lost] = idsOf("LongPollWait");
  expect(agent.output()).toContain(`The server returned status 500. Request ID: ${rejected}\n`);
  expect(agent.output()).toContain(`socket hang up. Request ID: ${lost}\n`);
  const ids = [...idsOf("LongPollWait"), ...idsOf("ReportStatus")];
  expect(new Set(ids).size).toBe(ids.length);
});

describe("without its server", () => {
  it("the agent starts nebula, waits, and continues when the server is back", async () => {
    const port = Number(new URL(fixture.host.server.url).port);
    await fixture.host.server.stop();
    fixture.host.run();
    await until(() => fixture.host.nebulas().length === 1);
    const { output, code } = await fixture.host.command("status");
    expect(code).toBe(0);
    expect(output).toMatch(/never connected to the server\nCan't reach http:\S+: /);
    await fixture.host.server.start(port);
    await until(fixture.isUpToDate);
    expect((await fixture.host.command("status")).output).toMatch(
      /configuration up to date · last contact \d s ago\n$/,
    );
  });

  it("a blocked host keeps nebula running, polls rarely, and shows what to do", async () => {
    await fixture.runUntilCurrent();
    fixture.host.server.isBlocked = true;
    let output = "";
    await until(() => {
      output = readFileSync(fixture.host.directory.path("status.json"), "utf8");
      return output.includes("blocked, deleted or enrolled again");
    });
    fixture.host.server.isBlocked = false;
    const polls = fixture.host.server.receivedOf("LongPollWait").length;
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(fixture.host.server.receivedOf("LongPollWait")).toHaveLength(polls);
    expect(fixture.host.nebulas()).toHaveLength(1);
  });

  it("the running agent switches to a new enrollment", async () => {
    await fixture.runUntilCurrent();
    fixture.host.server.failNext("LongPollWait", "401");
    await until(() =>
      readFileSync(fixture.host.directory.path("status.json"), "utf8").includes("enrolled again"),
    );
    expect(await fixture.host.enroll()).toMatchObject({
      code: 1,
      output: expect.stringContaining("already enrolled"),
    });
    const before = fixture.host.server.received.length;
    expect(await fixture.host.enroll("--force")).toMatchObject({ code: 0 });
    await until(
      () =>
        fixture.host.server.received.slice(before).some(({ type }) => type === "ReportStatus") &&
        fixture.isUpToDate(),
    );
    await until(() => fixture.host.nebula.journal().length === 3);
    expect(fixture.host.nebula.journal()).toEqual(["start", "end", "start"]);
    expect(fixture.host.directory.list()).not.toContain("enrollment.json");
  });

  it("a wrong clock is shown in the status", async () => {
    fixture.host.server.clockMs = HOUR_MS;
    await fixture.runUntilCurrent();
    expect((await fixture.host.command("status")).output).toContain("60 min behind the server's");
  });
});
