/** Guarantees are about rules: enrolled hosts and new CAs neither break nor repair them. */
import { createHash } from "node:crypto";
import {
  type BodyInputOf,
  createGuarantee,
  getCaRotation,
  getGuarantee,
  listAuditLogs,
  rotateCa,
  suspendGuarantee,
  updateRole,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { allowTcp, createDatabaseFleet, type DatabaseFleet } from "../../testing/database-fleet.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { HOUR_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";
import { stepRotations } from "../control/ca-rotations.service.ts";

let server: TestServer;
let owner: Session;
let fleet: DatabaseFleet;
/** Web servers must reach databases, and no host may reach them by SSH. */
let guaranteeIDs: string[];

beforeAll(async () => {
  const SECRET_KEY = Buffer.alloc(32, 8).toString("base64");
  server = await startTestServer({ environment: { SECRET_KEY }, agentPollMs: 50 });
});
afterAll(() => server.close());
beforeEach(async () => {
  owner = await server.signUp();
  fleet = await createDatabaseFleet(server, owner);
  guaranteeIDs = [
    await create({ type: "MUST_REACH", source: { type: "role", id: fleet.web.id } }, 5432),
    await create({ type: "MUST_NEVER_REACH", source: { type: "any" } }, 22),
  ];
});

type Change = Pick<BodyInputOf<typeof createGuarantee>, "type" | "source">;
const create = async (change: Change, port: number): Promise<string> => {
  const destination = { type: "role", id: fleet.database.id } as const;
  const body = { ...change, destination, protocol: "TCP", portRange: { from: port, to: port } } as const;
  return (await owner.call(createGuarantee, { body })).id;
};
const states = async () => {
  const found = guaranteeIDs.map((guaranteeID) => owner.call(getGuarantee, { params: { guaranteeID } }));
  return (await Promise.all(found)).map(({ state }) => state);
};
const allowSsh = () =>
  owner.call(updateRole, {
    params: { roleID: fleet.database.id },
    body: { firewallRules: [allowTcp(5432, { allowedRoleID: fleet.web.id }), allowTcp(22)] },
  });
const eventsOfGuarantees = async () =>
  (await owner.call(listAuditLogs, { query: { "filter.targetType": "guarantee" } })).data.map(
    ({ event }) => event.type,
  );
const monitor = () => server.app.guaranteeMonitor.drain();

async function enroll(hostID: string): Promise<TestAgent> {
  const agent = await TestAgent.enrollHost(server.url, owner, hostID);
  agent.skewMs = server.ctx.clock().getTime() - Date.now();
  return agent;
}

describe("a host that enrolls", () => {
  it("keeps the guarantees that its creation kept", async () => {
    const { id } = await fleet.add({ name: "web-3", roleID: fleet.web.id });
    const agent = await enroll(id);
    expect(await agent.hasUpdate()).toBe(false);
    await monitor();
    expect(await states()).toEqual(["holds", "holds"]);
    expect(await eventsOfGuarantees()).toEqual(["CREATED", "CREATED"]);
  });

  it("enrolls also if a guarantee has failed since its creation, which rejects further hosts", async () => {
    const { id: hostID } = await fleet.add({ name: "laptop-2" });
    const until = new Date(server.ctx.clock().getTime() + HOUR_MS).toISOString();
    const params = { guaranteeID: guaranteeIDs[1] ?? "" };
    await owner.call(suspendGuarantee, { params, body: { reason: "Migration", until } });
    await allowSsh();
    server.advance(2 * HOUR_MS);
    expect(await states()).toEqual(["holds", "failing"]);
    expect(await errorCodesOf(fleet.add({ name: "laptop-3" }))).toEqual(["ERR_GUARANTEE_VIOLATED"]);
    await enroll(hostID);
    expect((await eventsOfGuarantees()).filter((event) => event === "REJECTED_CHANGE")).toHaveLength(1);
  });
});

describe("a rotation of the CA", () => {
  const params = () => ({ networkID: fleet.networkID });
  const rotationStep = async () => (await owner.call(getCaRotation, { params: params() }))?.step;
  /** The certificates of the other hosts are only rows, so the rotation doesn't wait for them. */
  const renewTunnels = () =>
    server.query("update host_certificates set superseded_at = superseded_at - interval '75 seconds'");
  const report = (agent: TestAgent) =>
    agent.report({ configHash: createHash("sha256").update(agent.state.config).digest("hex") });

  async function applyUpdate(agent: TestAgent): Promise<void> {
    await agent.update((await agent.poll()).action.command as "DoUpdate");
    await agent.hasUpdate();
    await report(agent);
  }

  it("keeps all guarantees in every step, and also if hosts are left behind", async () => {
    const [hostID = ""] = fleet.webIDs;
    const agent = await enroll(hostID);
    await report(agent);
    await owner.call(rotateCa, { params: params(), body: { force: true } });
    const steps = [];
    for (let round = 0; round < 10 && (await rotationStep()) !== "DONE"; round++) {
      steps.push(await rotationStep());
      if (await agent.hasUpdate()) await applyUpdate(agent);
      await renewTunnels();
      await owner.call(rotateCa, { params: params(), body: { force: true } });
      await stepRotations(server.ctx);
      await monitor();
      expect(await states()).toEqual(["holds", "holds"]);
    }
    expect(await rotationStep()).toBe("DONE");
    expect([...new Set(steps)]).toEqual(["TRUST", "REISSUE"]);
    expect(await eventsOfGuarantees()).toEqual(["CREATED", "CREATED"]);
    expect(await errorCodesOf(allowSsh())).toEqual(["ERR_GUARANTEE_VIOLATED"]);
  });
});
