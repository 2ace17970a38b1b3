import { createHash } from "node:crypto";
import {
  createRoute,
  deleteRoute,
  type HostV2,
  listAuditLogs,
  rotateCa,
  updateHostV3,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { MINUTE_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";
import { stepRotations } from "./ca-rotations.service.ts";
import { revokeWiderCertificates } from "./wider-certificates.service.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
let host: HostV2;
let agent: TestAgent;
beforeAll(async () => {
  server = await startTestServer({ agentPollMs: 50, frozen: true });
  owner = await server.signUp();
});
beforeEach(async () => {
  fleet = await createFleet(server, owner);
  host = await fleet.add({ tags: ["a:1", "b:2"] });
  agent = await enroll(host);
});
afterAll(() => server.close());

async function enroll({ id }: HostV2, userAgent?: string): Promise<TestAgent> {
  const enrolled = await TestAgent.enrollHost(server.url, owner, id, userAgent);
  enrolled.skewMs = server.ctx.clock().getTime() - Date.now();
  return enrolled;
}
const change = (body: object) =>
  owner.call(updateHostV3, { params: { hostID: host.id }, body: { ...host, ...body } });
const report = (error?: string, state = agent.state) =>
  agent.report({
    configHash: createHash("sha256").update(state.config).digest("hex"),
    ...(error !== undefined && { error }),
  });
/** Fetches a new certificate and uses it. */
async function renew(): Promise<void> {
  await agent.update("DoUpdate");
  await agent.hasUpdate();
}
function passTime(ms: number): void {
  server.advance(ms);
  agent.skewMs += ms;
}
/** Returns for each certificate, oldest first, whether it is revoked. */
async function revoked(): Promise<boolean[]> {
  await revokeWiderCertificates(server.ctx);
  const rows = await server.query<{ is_revoked: boolean }>(
    `select revoked_at is not null as is_revoked from host_certificates
       where host_id = $1 order by superseded_at nulls last, not_after`,
    [host.id],
  );
  return rows.map(({ is_revoked }) => is_revoked);
}

describe("a certificate that grants more than the current certificate of its host", () => {
  it.each([
    ["a tag", () => change({ tags: ["a:1"] })],
    ["every tag", () => change({ tags: [] })],
  ])("is revoked after %s was removed and the host uses the new certificate", async (_what, narrow) => {
    const witness = await enroll(await fleet.add());
    await narrow();
    await renew();
    await report();
    expect(await revoked()).toEqual([false, false]);
    passTime(MINUTE_MS);
    expect(await revoked()).toEqual([true, false]);
    witness.skewMs = agent.skewMs;
    await witness.update("DoConfigUpdate");
    const [{ fingerprint }] = (await server.query<{ fingerprint: string }>(
      "select fingerprint from host_certificates where host_id = $1 and revoked_at is not null",
      [host.id],
    )) as [{ fingerprint: string }];
    expect(witness.state.config).toContain(fingerprint);
    expect((await agent.send("CheckForUpdate")).status).toBe(200);
    const [entry] = (await owner.call(listAuditLogs, { query: { "filter.targetID": host.id } })).data;
    expect(entry).toMatchObject({
      actor: { type: "system" },
      event: { type: "UPDATED", after: { revokedCertificates: [{ fingerprint }] } },
    });
  });

  it("is revoked after the host routes fewer subnets", async () => {
    const route = await owner.call(createRoute, {
      body: {
        name: `Through ${host.id}`,
        routerHostID: host.id,
        routableCIDRs: { "192.168.9.0/24": { install: true } },
      },
    });
    await renew();
    passTime(MINUTE_MS);
    expect(await revoked()).toEqual([false, false]);
    await owner.call(deleteRoute, { params: { routeID: route.id } });
    await renew();
    passTime(MINUTE_MS);
    expect(await revoked()).toEqual([false, true, false]);
  });

  it("is revoked even if it was replaced before by a certificate that grants the same", async () => {
    await renew();
    passTime(MINUTE_MS);
    expect(await revoked()).toEqual([false, false]);
    await change({ tags: ["a:1"] });
    await renew();
    passTime(MINUTE_MS);
    expect(await revoked()).toEqual([true, true, false]);
  });

  it("is revoked even if the host never received it", async () => {
    await agent.fetchUpdate("DoUpdate");
    await change({ tags: [] });
    await renew();
    passTime(MINUTE_MS);
    expect((await revoked()).filter(Boolean)).toHaveLength(2);
  });

  it("is revoked once, also with concurrent checks", async () => {
    await change({ tags: [] });
    await renew();
    passTime(MINUTE_MS);
    await Promise.all([1, 2, 3, 4].map(() => revokeWiderCertificates(server.ctx)));
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": host.id } });
    expect(data.filter(({ actor }) => actor.type === "system")).toHaveLength(1);
  });
});

describe("no certificate is revoked", () => {
  it("by a renewal, a new name or an additional tag", async () => {
    await renew();
    await change({ name: `${host.name}-renamed` });
    await renew();
    await change({ tags: ["a:1", "b:2", "c:3"] });
    await renew();
    passTime(MINUTE_MS);
    expect(await revoked()).toEqual([false, false, false, false]);
  });

  it("before the host has used the next certificate, even if responses are lost", async () => {
    await report();
    await change({ tags: [] });
    for (let round = 0; round < 3; round++) {
      await agent.fetchUpdate("DoUpdate");
      passTime(MINUTE_MS);
      await agent.hasUpdate();
      expect(await revoked()).not.toContain(true);
    }
  });

  it("while the host reports another configuration or an error", async () => {
    await report();
    const before = agent.state;
    await change({ tags: [] });
    await renew();
    passTime(MINUTE_MS);
    expect(await revoked()).toEqual([false, false]);
    await report("nebula refuses it", before);
    expect(await revoked()).toEqual([false, false]);
    await report("nebula refuses it");
    expect(await revoked()).toEqual([false, false]);
    await report();
    expect(await revoked()).toEqual([true, false]);
  });

  it("by any step of a CA rotation", async () => {
    await owner.call(rotateCa, { params: { networkID: fleet.networkID }, body: {} });
    for (const kind of ["DoConfigUpdate", "DoUpdate", "DoConfigUpdate"] as const) {
      await agent.update(kind);
      await agent.hasUpdate();
      await report();
      passTime(2 * MINUTE_MS);
      expect(await revoked()).not.toContain(true);
      await stepRotations(server.ctx);
    }
    expect(await agent.hasUpdate()).toBe(false);
  });
});

it("certificates of a retired CA are not on the blocklist, because no host accepts them", async () => {
  await change({ tags: [] });
  await renew();
  passTime(MINUTE_MS);
  expect(await revoked()).toEqual([true, false]);
  await agent.update("DoConfigUpdate");
  expect(agent.state.config).not.toContain("blocklist: []");
  await owner.call(rotateCa, { params: { networkID: fleet.networkID }, body: {} });
  for (const kind of ["DoConfigUpdate", "DoUpdate", "DoConfigUpdate"] as const) {
    await agent.update(kind);
    await agent.hasUpdate();
    passTime(2 * MINUTE_MS);
    await stepRotations(server.ctx);
  }
  await agent.update("DoConfigUpdate");
  expect(agent.state.config).toContain("blocklist: []");
});
