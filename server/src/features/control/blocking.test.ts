import { blockHostV2, bulkHosts, deleteHost, type HostV2, unblockHostV2 } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deleteExpired } from "../../app/background.ts";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { DAY_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
let witness: TestAgent;
beforeAll(async () => {
  server = await startTestServer({ agentPollMs: 50 });
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
  witness = await TestAgent.enrollHost(server.url, owner, (await fleet.add({ name: "witness" })).id);
});
afterAll(() => server.close());

const newAgent = async (): Promise<{ host: HostV2; agent: TestAgent }> => {
  const host = await fleet.add();
  return { host, agent: await TestAgent.enrollHost(server.url, owner, host.id) };
};
const certificatesOf = async ({ id }: HostV2) =>
  server.query<{ fingerprint: string; revoked: boolean }>(
    "select fingerprint, revoked_at is not null as revoked from host_certificates where host_id = $1",
    [id],
  );
const credentialsOf = ({ id }: HostV2) =>
  server.query("select counter from host_credentials where host_id = $1", [id]);
async function blocklist(): Promise<string> {
  await witness.update("DoConfigUpdate");
  await witness.hasUpdate();
  return /blocklist:.*?\n {2}disconnect/s.exec(witness.state.config)?.[0] ?? "";
}
const call = {
  block: ({ id }: HostV2) => owner.call(blockHostV2, { params: { hostID: id } }),
  unblock: ({ id }: HostV2) => owner.call(unblockHostV2, { params: { hostID: id } }),
  delete: ({ id }: HostV2) => owner.call(deleteHost, { params: { hostID: id } }),
};

describe("blocking a host", () => {
  it("revokes all of its certificates that are still valid, including older and unused certificates", async () => {
    const { host, agent } = await newAgent();
    await agent.update("DoUpdate");
    await agent.hasUpdate();
    await agent.fetchUpdate("DoUpdate");
    await call.block(host);
    const certificates = await certificatesOf(host);
    expect(certificates.map(({ revoked }) => revoked)).toEqual([true, true, true]);
    const listed = await blocklist();
    for (const { fingerprint } of certificates) expect(listed).toContain(fingerprint);
    expect(await credentialsOf(host)).toEqual([]);
    await call.unblock(host);
    expect((await agent.send("CheckForUpdate")).status).toBe(401);
    const again = await TestAgent.enrollHost(server.url, owner, host.id);
    expect(await again.hasUpdate()).toBe(false);
    for (const { fingerprint } of certificates) expect(await blocklist()).toContain(fingerprint);
  });

  it("takes effect despite a concurrent update, renewal and report", async () => {
    for (let round = 0; round < 8; round++) {
      const { host, agent } = await newAgent();
      const [, update, renewal] = await Promise.all([
        call.block(host),
        agent.fetchUpdate("DoConfigUpdate").catch(() => agent.state),
        agent.fetchUpdate("DoUpdate").catch(() => agent.state),
        agent.report({ configHash: "0" }),
      ]);
      expect(await credentialsOf(host)).toEqual([]);
      expect((await certificatesOf(host)).every(({ revoked }) => revoked)).toBe(true);
      expect(await server.query("select from host_reports where host_id = $1", [host.id])).toEqual([]);
      await call.unblock(host);
      for (const state of [agent.state, update, renewal])
        expect((await agent.send("CheckForUpdate", undefined, state)).status).toBe(401);
    }
  });

  it("in a bulk change has the same effect", async () => {
    const hosts = [await newAgent(), await newAgent()];
    const ids = hosts.map(({ host }) => host.id);
    await owner.call(bulkHosts, { body: { action: "block", ids } });
    await server.app.jobs.drain();
    const listed = await blocklist();
    for (const { host, agent } of hosts) {
      expect((await agent.send("CheckForUpdate")).status).toBe(401);
      expect(listed).toContain((await certificatesOf(host))[0]!.fingerprint);
    }
  });
});

describe("a deleted host's certificates", () => {
  it("stay on the blocklist until they expire, and are deleted after that", async () => {
    const { host } = await newAgent();
    const { fingerprint } = (await certificatesOf(host))[0]!;
    await call.delete(host);
    expect(await blocklist()).toContain(fingerprint);
    await server.query(
      "update host_certificates set not_after = now() - interval '2 days' where fingerprint = $1",
      [fingerprint],
    );
    await fleet.add();
    expect(await blocklist()).not.toContain(fingerprint);
    await deleteExpired(server.ctx);
    expect(await certificatesOf(host)).toHaveLength(1);
    server.advance(2 * DAY_MS);
    await deleteExpired(server.ctx);
    expect(await certificatesOf(host)).toEqual([]);
  });
});
