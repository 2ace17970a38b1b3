import { createHash } from "node:crypto";
import {
  blockHostV2,
  type CaRotation,
  getCaRotation,
  listAuditLogs,
  listCertificateAuthorities,
  NotFoundError,
  rotateCa,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { DAY_MS, HOUR_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";
import { locked } from "../../infrastructure/db/audited.ts";
import { lockNetworksForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { stepRotations } from "./ca-rotations.service.ts";

const environment = { SECRET_KEY: Buffer.alloc(32, 8).toString("base64") };
let server: TestServer;
let owner: Session;
let fleet: Fleet;
/** A Lightkeeper agent, which reports its status, and a third-party agent, which doesn't. */
let ours: TestAgent;
let foreign: TestAgent;
beforeAll(async () => {
  server = await startTestServer({ environment, agentPollMs: 50 });
  owner = await server.signUp();
});
beforeEach(async () => {
  fleet = await createFleet(server, owner);
  ours = await TestAgent.enrollHost(server.url, owner, (await fleet.add({ name: "ours" })).id);
  const { id } = await fleet.add({ name: "foreign" });
  foreign = await TestAgent.enrollHost(server.url, owner, id, "dnclient/0.8.4");
  await reportStatus(ours);
});
afterAll(() => server.close());

const params = () => ({ networkID: fleet.networkID });
const start = (body: { force?: boolean } = {}, session = owner) =>
  session.call(rotateCa, { params: params(), body });
const rotation = async () => (await owner.call(getCaRotation, { params: params() })) as CaRotation;
const waitingHostNames = ({ waitingFor }: CaRotation) => waitingFor.hosts.map(({ name }) => name);
const states = async () => {
  const query = { "filter.networkID": fleet.networkID };
  return (await owner.call(listCertificateAuthorities, { query })).data.map(({ state }) => state);
};
const countTrustedCas = ({ state }: TestAgent) => state.config.split("\n  cert:")[0]!.match(/BEGIN/g)!.length;

async function reportStatus(agent: TestAgent, error?: string): Promise<void> {
  const configHash = createHash("sha256").update(agent.state.config).digest("hex");
  await agent.report({ configHash, ...(error !== undefined && { error }) });
}

/** Fetches and uses the offered update; the Lightkeeper agent also reports it. */
async function applyUpdate(agent: TestAgent): Promise<string> {
  const { command } = (await agent.poll()).action;
  if (command === "NoOp") return command;
  await agent.update(command as "DoUpdate");
  await agent.hasUpdate();
  if (agent === ours) await reportStatus(agent);
  return command;
}
const step = () => stepRotations(server.ctx);
/** Simulates the time in which tunnels are renewed. */
const renewTunnels = () =>
  server.query("update host_certificates set superseded_at = superseded_at - interval '75 seconds'");

describe("a rotation", () => {
  it("trusts the new CA, reissues certificates and retires the old CA, each after all hosts are ready", async () => {
    expect(await owner.call(getCaRotation, { params: params() })).toBeNull();
    const started = await start();
    expect(started).toMatchObject({ step: "TRUST", isForced: false, waitingFor: { hostCount: 2 } });
    expect(waitingHostNames(started)).toEqual(["foreign", "ours"]);
    expect(await states()).toEqual(["SIGNING", "PENDING"]);

    expect(await applyUpdate(foreign)).toBe("DoConfigUpdate");
    await step();
    expect(waitingHostNames(await rotation())).toEqual(["ours"]);
    await ours.update("DoConfigUpdate");
    await ours.hasUpdate();
    await step();
    expect((await rotation()).step).toBe("TRUST");
    await reportStatus(ours, "nebula rejected it");
    await step();
    expect((await rotation()).step).toBe("TRUST");
    await reportStatus(ours);
    expect([countTrustedCas(ours), countTrustedCas(foreign)]).toEqual([2, 2]);
    await step();
    expect(await rotation()).toMatchObject({ step: "REISSUE", waitingFor: { hostCount: 2 } });
    expect(await states()).toEqual(["TRUSTED", "SIGNING"]);

    expect(await applyUpdate(ours)).toBe("DoUpdate");
    await step();
    expect(waitingHostNames(await rotation())).toEqual(["foreign"]);
    const lost = await foreign.fetchUpdate("DoUpdate");
    await step();
    expect(waitingHostNames(await rotation())).toEqual(["foreign"]);
    foreign.state = lost;
    await foreign.hasUpdate();
    await step();
    expect(await rotation()).toMatchObject({ step: "REISSUE", waitingFor: { hostCount: 0 } });
    await renewTunnels();
    await step();
    expect(await rotation()).toMatchObject({ step: "DONE", waitingFor: { hostCount: 0, hosts: [] } });
    expect(await states()).toEqual(["RETIRED", "SIGNING"]);

    expect([await applyUpdate(ours), await applyUpdate(foreign)]).toEqual([
      "DoConfigUpdate",
      "DoConfigUpdate",
    ]);
    expect([countTrustedCas(ours), countTrustedCas(foreign)]).toEqual([1, 1]);
    expect([await applyUpdate(ours), await applyUpdate(foreign)]).toEqual(["NoOp", "NoOp"]);
  });

  it("continues without offline hosts if it is forced, and these hosts update when they are back", async () => {
    const offlineAgent = await TestAgent.enrollHost(
      server.url,
      owner,
      (await fleet.add({ name: "sleeper" })).id,
    );
    await server.app.presence.drain();
    await server.query("update hosts set is_online = name <> 'sleeper' where network_id = $1", [
      fleet.networkID,
    ]);
    await start();
    for (const agent of [ours, foreign]) await applyUpdate(agent);
    await step();
    const waiting = await rotation();
    expect(waiting.waitingFor.hosts).toMatchObject([{ name: "sleeper", isOnline: false }]);
    expect(waiting.step).toBe("TRUST");
    expect(await start({ force: true })).toMatchObject({ isForced: true, waitingFor: { hostCount: 0 } });
    await step();
    expect(await rotation()).toMatchObject({ step: "REISSUE", isForced: false });
    for (const agent of [ours, foreign]) await applyUpdate(agent);
    await step();
    expect(waitingHostNames(await rotation())).toEqual(["sleeper"]);
    await start({ force: true });
    await renewTunnels();
    await step();
    expect((await rotation()).step).toBe("DONE");
    expect(await states()).toEqual(["RETIRED", "SIGNING"]);
    expect(await applyUpdate(offlineAgent)).toBe("DoUpdate");
    expect(await applyUpdate(offlineAgent)).toBe("NoOp");
    expect(countTrustedCas(offlineAgent)).toBe(1);
  });

  it("does not wait for blocked hosts or for hosts with an expired certificate", async () => {
    await server.query(
      `update host_certificates set not_after = now() - interval '1 day'
         from hosts where hosts.id = host_id and hosts.network_id = $1 and name = 'foreign'`,
      [fleet.networkID],
    );
    const blocked = await fleet.add({ name: "blocked" });
    await TestAgent.enrollHost(server.url, owner, blocked.id);
    await owner.call(blockHostV2, { params: { hostID: blocked.id } });
    expect(waitingHostNames(await start())).toEqual(["ours"]);
  });

  it("runs once at a time, and starting it again returns the current rotation", async () => {
    const [first, second] = await Promise.all([start(), start()]);
    expect(first.newCAID).toBe(second.newCAID);
    expect((await start()).newCAID).toBe(first.newCAID);
    expect(await states()).toEqual(["SIGNING", "PENDING"]);
  });

  it("is started and recorded once by two requests that wait for the network's lock", async () => {
    let both: Promise<CaRotation[]> | undefined;
    await server.ctx.audited(async (tx) => {
      await lockNetworksForNoKeyUpdate(tx, owner.organizationID, [fleet.networkID]);
      both = Promise.all([start(), start()]);
      await expect.poll(() => server.countLockWaits()).toBe(2);
      return locked(undefined);
    });
    const [first, second] = await both!;
    expect(first).toEqual(second);
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": fleet.networkID } });
    expect(data.filter(({ event }) => event.type === "UPDATED")).toHaveLength(1);
  });

  it("continues on any server, and takes each step once", async () => {
    const two = await startTestServer({ environment, database: server.database });
    await start();
    for (const agent of [ours, foreign]) await applyUpdate(agent);
    await Promise.all([stepRotations(server.ctx), stepRotations(two.ctx)]);
    expect((await rotation()).step).toBe("REISSUE");
    for (const agent of [ours, foreign]) await applyUpdate(agent);
    await renewTunnels();
    await stepRotations(two.ctx);
    await two.close();
    expect((await rotation()).step).toBe("DONE");
    const events = (await owner.call(listAuditLogs, { query: { "filter.targetID": fleet.networkID } })).data;
    expect(events.filter(({ event }) => event.type === "SET_NETWORK_CA")).toHaveLength(2);
  });

  it("of a network without hosts finishes immediately, and can be repeated", async () => {
    fleet = await createFleet(server, owner);
    await start();
    await step();
    await step();
    expect((await rotation()).step).toBe("DONE");
    expect((await start()).step).toBe("TRUST");
    expect(await states()).toEqual(["RETIRED", "SIGNING", "PENDING"]);
  });

  it("is started by the system a year before the CA expires", async () => {
    fleet = await createFleet(server, owner);
    await step();
    expect(await owner.call(getCaRotation, { params: params() })).toBeNull();
    await server.query("update certificate_authorities set not_after = $2 where network_id = $1", [
      fleet.networkID,
      new Date(server.ctx.clock().getTime() + 364 * DAY_MS),
    ]);
    await step();
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": fleet.networkID } });
    expect(data.find(({ event }) => event.type === "UPDATED")?.actor).toEqual({ type: "system" });
    await step();
    await step();
    expect(await states()).toEqual(["RETIRED", "SIGNING"]);
  });

  it("is not found by another organization, and requires a second factor from the last hour", async () => {
    const stranger = await server.signUp();
    await expect(start({}, stranger)).rejects.toThrow(NotFoundError);
    await expect(stranger.call(getCaRotation, { params: params() })).rejects.toThrow(NotFoundError);
    server.advance(HOUR_MS + 1000);
    try {
      expect(await errorCodesOf(start())).toEqual(["ERR_2FA_RENEWAL_REQUIRED"]);
    } finally {
      server.advance(-HOUR_MS - 1000);
    }
  });
});
