/** An enrolled host with its agent for each test of what hosts are sent. */
import { type HostV2, updateHostV3 } from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { createFleet, type Fleet } from "./fleet.ts";
import { type Session, startTestServer, type TestServer } from "./server.ts";
import { TestAgent } from "./test-agent.ts";

export let server: TestServer;
export let owner: Session;
export let fleet: Fleet;
export let host: HostV2;
export let agent: TestAgent;

/** Registers the hooks that start a server and enroll a host before each test. */
export function useEnrolledHost(agentPollMs = 50): void {
  beforeAll(async () => {
    server = await startTestServer({ agentPollMs });
    owner = await server.signUp();
    fleet = await createFleet(server, owner);
  });
  beforeEach(async () => {
    host = await fleet.add({ tags: ["env:prod"] });
    agent = await TestAgent.enrollHost(server.url, owner, host.id);
  });
  afterAll(() => server.close());
}

export const change = (body: object) =>
  owner.call(updateHostV3, { params: { hostID: host.id }, body: { ...host, ...body } });
export const offeredCommand = async (polling = agent) => (await polling.poll()).action.command;
