/** kill -9 at moments nobody chose, while updates go on: whatever is left on the disk must start. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { AgentProgram } from "./testing/agent-process.ts";
import { buildAgentProgram, until } from "./testing/agent-process.ts";
import { TestHost } from "./testing/host.ts";

// Processes start and end here, on machines that do other things as well.
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

const updates = () => host.server.of("DoUpdate").length + host.server.of("DoConfigUpdate").length;
const pause = (maxMs: number) => new Promise((resolve) => setTimeout(resolve, Math.random() * maxMs));

it("starts again and is up to date, wherever it was killed", async () => {
  await host.enroll();
  for (let round = 0; round < ROUNDS; round += 1) {
    host.server.settings = { blocklist: [round.toString(16).padStart(64, "0")] };
    // Always one more to fetch, so that kills come in the middle of it.
    if (host.server.isIdle()) host.server.offer(round % 2 === 0 ? "DoUpdate" : "DoConfigUpdate");
    host.server.offer("DoUpdate");
    const before = updates();
    const agent = host.run();
    // Some anywhere in its life, most while an update is under way.
    if (round % 3 === 0) await pause(LIFE_MAX_MS);
    else {
      await until(() => updates() > before);
      await pause(UPDATE_MAX_MS);
    }
    await agent.kill("SIGKILL");
    expect(host.directory.peek()).toMatchObject({ format: 1, hostID: expect.any(String) });
    expect(agent.output()).not.toContain("enrolled anew");
  }
  const agent = host.run();
  host.server.offer("DoUpdate");
  const isCurrent = () =>
    host.report()?.configHash === host.server.configHash() && host.report()?.error === null;
  await until(() => host.server.isIdle() && isCurrent(), 120);
  expect(agent.output()).not.toContain("enrolled anew");
  expect(host.nebulas()).toHaveLength(1);
  expect(updates()).toBeGreaterThan(ROUNDS / 2);
});
