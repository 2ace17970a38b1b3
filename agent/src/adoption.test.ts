/** A new agent continues with the nebula of a killed one, or terminates it if anything is unexpected. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { AgentProcess } from "./testing/agent-program.ts";
import { until } from "./testing/agent-program.ts";
import { REJECTED } from "./testing/fake-nebula.ts";
import { useTestHost, withDevice } from "./testing/use-test-host.ts";

const fixture = useTestHost({ isEnrolled: true });

const journal = () => fixture.host.nebula.journal();
const reports = () => fixture.host.server.receivedOf("ReportStatus").length;
const readStatus = () => JSON.parse(readFileSync(fixture.host.directory.path("status.json"), "utf8"));

/** Returns the ID of the nebula that runs without an agent. */
async function killAgent(agent: AgentProcess): Promise<number | undefined> {
  const [pid] = fixture.host.nebulas();
  await agent.kill("SIGKILL");
  expect(fixture.host.nebulas()).toEqual([pid]);
  return pid;
}

/** Starts an agent and waits for its first report. */
async function runUntilReport(): Promise<AgentProcess> {
  const before = reports();
  const agent = fixture.host.run();
  await until(() => reports() > before);
  return agent;
}

describe("after the agent was killed", () => {
  it("the next one continues with its nebula, reloads new configurations, and stops it in the end", async () => {
    const pid = await killAgent(await fixture.runUntilCurrent());
    const { nebulaRunningSince } = readStatus();
    const agent = await runUntilReport();
    expect(fixture.host.report()).toMatchObject({
      configHash: fixture.host.server.configHash(),
      error: null,
    });
    // Once, for a new debug console.
    await until(() => journal().length === 2);
    expect(journal()).toEqual(["start", "reload"]);
    expect(
      Math.abs(Date.parse(readStatus().nebulaRunningSince) - Date.parse(nebulaRunningSince)),
    ).toBeLessThan(5000);
    expect(await fixture.host.command("status")).toMatchObject({
      code: 0,
      output: expect.stringContaining("configuration up to date"),
    });

    fixture.host.server.settings = { roleRules: [{ protocol: "ANY" }] };
    fixture.host.server.enqueueAction("DoUpdate");
    await until(() => fixture.host.server.receivedOf("DoUpdate").length === 1 && fixture.isUpToDate());
    await until(() => journal().length === 3);
    expect(journal()).toEqual(["start", "reload", "reload"]);
    expect(fixture.host.nebulas()).toEqual([pid]);

    await agent.kill("SIGTERM");
    expect(fixture.host.nebulas()).toEqual([]);
    expect(journal().at(-1)).toBe("end");
  });

  it("the next one continues with its nebula each time, and reads its log", async () => {
    const pid = await killAgent(await fixture.runUntilCurrent());
    for (let round = 1; round <= 3; round += 1) {
      const agent = await runUntilReport();
      await until(() => agent.output().includes("Caught HUP"));
      await killAgent(agent);
    }
    expect(fixture.host.nebulas()).toEqual([pid]);
    expect(journal().filter((event) => event === "start")).toHaveLength(1);
  });

  it("the next one starts nebula again when it exits", async () => {
    const pid = await killAgent(await fixture.runUntilCurrent());
    await runUntilReport();
    process.kill(pid ?? 0, "SIGKILL");
    await until(() => fixture.host.report()?.error === "Nebula exited (reason unknown).");
    await until(() => fixture.host.report()?.error === null && fixture.isUpToDate());
    expect(fixture.host.nebulas()).toHaveLength(1);
    expect(fixture.host.nebulas()).not.toContain(pid);
    expect(journal().filter((event) => event === "start")).toHaveLength(2);
  });

  it("the next one restarts nebula for a configuration that needs it", async () => {
    const pid = await killAgent(await fixture.runUntilCurrent());
    await runUntilReport();
    fixture.host.server.settings = withDevice("nebula9");
    fixture.host.server.enqueueAction("DoConfigUpdate");
    await until(() => fixture.host.server.receivedOf("DoConfigUpdate").length === 1 && fixture.isUpToDate());
    expect(fixture.host.nebulas()).toHaveLength(1);
    expect(fixture.host.nebulas()).not.toContain(pid);
    expect(journal()).toEqual(["start", "reload", "end", "start"]);
  });

  it("the next one keeps the last good configuration if nebula rejects the newest", async () => {
    const agent = await fixture.runUntilCurrent();
    const good = fixture.host.server.configHash();
    fixture.host.server.settings = withDevice(REJECTED);
    fixture.host.server.enqueueAction("DoConfigUpdate");
    await until(() => fixture.host.report()?.error !== null);
    const pid = await killAgent(agent);
    await runUntilReport();
    expect(fixture.host.report()).toMatchObject({
      configHash: good,
      error: expect.stringContaining(REJECTED),
    });
    expect(fixture.host.nebulas()).toEqual([pid]);
  });

  it("the next one loads a configuration that was written but not reloaded", async () => {
    const agent = await fixture.runUntilCurrent();
    const config = fixture.host.directory.path("nebula.yml");
    const before = readFileSync(config, "utf8");
    fixture.host.server.settings = { roleRules: [{ protocol: "ANY" }] };
    fixture.host.server.enqueueAction("DoConfigUpdate");
    await until(() => readFileSync(config, "utf8") !== before);
    const pid = await killAgent(agent);
    const count = journal().length;
    await runUntilReport();
    await until(() => journal().length > count && fixture.isUpToDate());
    expect(fixture.host.nebulas()).toEqual([pid]);
    expect(fixture.host.directory.peek()?.lastGood?.config).toBe(fixture.host.server.config);
  });
});

describe("while files can't be written", () => {
  const files = () => ["sshd.key", "nebula-test.yml"].map((name) => fixture.host.directory.path(name));

  it("nebula keeps running, and is restarted when they can be written again", async () => {
    const pid = await killAgent(await fixture.runUntilCurrent());
    for (const file of files()) {
      rmSync(file, { force: true });
      mkdirSync(file);
    }
    await runUntilReport();
    await until(() => String(fixture.host.report()?.error).includes("EISDIR"));
    expect(fixture.isUpToDate()).toBe(true);
    expect(fixture.host.nebulas()).toEqual([pid]);
    expect(journal()).toEqual(["start"]);

    for (const file of files()) rmSync(file, { recursive: true });
    fixture.host.server.enqueueAction("DoConfigUpdate");
    await until(() => fixture.host.report()?.error === null && fixture.isUpToDate());
    expect(journal()).toEqual(["start", "end", "start"]);
  });
});

describe("nebula is started again if", () => {
  it.each<[string, () => unknown]>([
    ["its program was replaced", replaceProgram],
    ["its configuration can't be read", () => damage("nebula.yml")],
    ["its configuration is another one", changeConfig],
    ["its process isn't recorded", () => rmSync(fixture.host.directory.path("nebula-process.json"))],
    ["the record can't be read", () => damage("nebula-process.json")],
    ["the host was enrolled again", () => fixture.host.enroll("--force")],
    ["several processes run", startSecond],
  ])("%s", async (_reason, change) => {
    const pid = await killAgent(await fixture.runUntilCurrent());
    await change();
    await runUntilReport();
    await until(fixture.isUpToDate);
    expect(fixture.host.nebulas()).toHaveLength(1);
    expect(fixture.host.nebulas()).not.toContain(pid);
    expect(journal()).not.toContain("reload");
  });
});

function replaceProgram(): void {
  const { path } = fixture.host.nebula;
  writeFileSync(`${path}.new`, readFileSync(path, "utf8"), { mode: 0o755 });
  renameSync(`${path}.new`, path);
}

function damage(name: string): void {
  writeFileSync(fixture.host.directory.path(name), "]");
}

function changeConfig(): void {
  const path = fixture.host.directory.path("nebula.yml");
  writeFileSync(path, readFileSync(path, "utf8").replace("icmp", "any"));
}

async function startSecond(): Promise<void> {
  const args = ["-config", fixture.host.directory.path("nebula.yml")];
  const second = spawn(fixture.host.nebula.path, args, { stdio: "ignore", detached: true });
  await once(second, "spawn");
  await until(() => journal().length === 2);
}
