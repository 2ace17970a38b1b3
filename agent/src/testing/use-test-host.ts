/** The built agent as a process, with a fake nebula, against a server double that can fail on request. */
import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import type { AgentProcess, AgentProgram } from "./agent-program.ts";
import { buildAgentProgram, until } from "./agent-program.ts";
import { TestHost } from "./test-host.ts";

/** Settings of the server double with this tunnel device. */
export const withDevice = (value: string) => ({
  tags: [{ name: "a:b", priority: 1, firewallRules: [], configOverrides: [{ key: "tun.dev", value }] }],
});

export interface TestHostFixture {
  readonly program: AgentProgram;
  readonly host: TestHost;
  /** Whether the agent has reported the server's configuration. */
  readonly isUpToDate: () => boolean;
  readonly runUntilCurrent: () => Promise<AgentProcess>;
}

/** Registers the hooks that build the agent, and create a host before each test. */
export function useTestHost({
  isEnrolled,
  nebulaVersion,
}: {
  isEnrolled: boolean;
  nebulaVersion?: string;
}): TestHostFixture {
  // These tests start many processes, possibly on a busy machine.
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
  let program: AgentProgram;
  let host: TestHost;
  beforeAll(async () => {
    program = await buildAgentProgram();
  });
  afterAll(() => program.remove());
  beforeEach(async () => {
    host = new TestHost(program, nebulaVersion);
    await host.server.start();
    if (isEnrolled) await host.enroll();
  });
  afterEach(() => host.remove());

  const isUpToDate = () => host.report()?.configHash === host.server.configHash();
  return {
    get program() {
      return program;
    },
    get host() {
      return host;
    },
    isUpToDate,
    async runUntilCurrent() {
      const agent = host.run();
      await until(isUpToDate);
      return agent;
    },
  };
}
