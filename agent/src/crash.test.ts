/** Kills the agent at random moments during updates: it must start again from the files on disk. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { AgentProgram } from "./testing/agent-program.ts";
import { buildAgentProgram, until } from "./testing/agent-program.ts";
import { TestHost } from "./testing/test-host.ts";

// These tests start many processes, possibly on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const ROUNDS = 30;
const LIFE_MAX_MS = 2000;
const UPDATE_MAX_MS = 600;
let program: AgentProgram;
let host: TestHost;

beforeAll(async () => {
  program = await buildAgentProgram();
  host = new TestHost(program);
  await host.server.start();
});
afterAll(async () => {
  await host.remove();
  program.remove();
});

const pause = (maxMs: number) => new Promise((resolve) => setTimeout(resolve, Math.random() * maxMs));

it("starts again with the newest configuration, whenever it was killed", async () => {
  await host.enroll();
  for (let round = 0; round < ROUNDS; round += 1) {
    host.server.settings = { blocklist: [round.toString(16).padStart(64, "0")] };
    // There is always one more update, so that the kill happens during an update.
    if (host.server.isIdle()) host.server.enqueueAction(round % 2 === 0 ? "DoUpdate" : "DoConfigUpdate");
    host.server.enqueueAction("DoUpdate");
    host.server.sendsUpdates = round % 4 < 2 ? {} : undefined;
    const before = host.server.updateCount;
    const agent = host.run();
    // A third of the kills happen at any time, the others during an update.
    if (round % 3 === 0) await pause(LIFE_MAX_MS);
    else {
      await until(() => host.server.updateCount > before);
      await pause(UPDATE_MAX_MS);
    }
    await agent.kill("SIGKILL");
    expect(host.directory.peek()).toMatchObject({ format: 1, hostID: expect.any(String) });
    expect(agent.output()).not.toContain("enrolled again");
  }
  const agent = host.run();
  host.server.enqueueAction("DoUpdate");
  const isCurrent = () =>
    host.report()?.configHash === host.server.configHash() && host.report()?.error === null;
  await until(() => host.server.isIdle() && isCurrent(), 120);
  expect(agent.output()).not.toContain("enrolled again");
  expect(host.nebulas()).toHaveLength(1);
  expect(host.server.updateCount).toBeGreaterThan(ROUNDS / 2);
});
