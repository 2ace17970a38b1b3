import { createHash } from "node:crypto";
import {
  createRole,
  createRoute,
  deleteRoute,
  type HostV2,
  listAuditLogs,
  updateHostV3,
  updateNetworkV2,
  updateRole,
  updateRoute,
  updateTag,
} from "@lightkeeper/contract";
import { decodeCertificateV1, decodePem, formatCidr } from "@lightkeeper/nebula";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
let host: HostV2;
let agent: TestAgent;
beforeAll(async () => {
  server = await startTestServer({ agentHoldMs: 50 });
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});
beforeEach(async () => {
  host = await fleet.add({ tags: ["env:prod"] });
  agent = await TestAgent.enrollHost(server.url, owner, host.id);
});
afterAll(() => server.close());

const change = (body: object) =>
  owner.call(updateHostV3, { params: { hostID: host.id }, body: { ...host, ...body } });
const offered = async (one = agent) => (await one.poll()).action.command;
const certificateOf = ({ state }: TestAgent) =>
  decodeCertificateV1(decodePem("NEBULA CERTIFICATE", state.certificate)).details;
const eventsOf = async (id: string) =>
  (await owner.call(listAuditLogs, { query: { "filter.targetID": id } })).data.map(({ event }) => event.type);
const credentialsOf = (id: string) =>
  server.query<{ counter: number }>(
    "select counter from host_credentials where host_id = $1 order by counter",
    [id],
  );

describe("a host is offered", () => {
  it("nothing when it has all it should have", async () => {
    expect(await agent.poll()).toEqual({ action: { command: "NoOp" }, responseToken: "" });
    expect(await agent.hasUpdate()).toBe(false);
  });

  it("a configuration for what does not stand in its certificate", async () => {
    await change({ listenPort: 4242 });
    expect(await offered()).toBe("DoConfigUpdate");
    expect(await agent.hasUpdate()).toBe(true);
    await agent.update("DoConfigUpdate");
    expect(agent.state.config).toContain("port: 4242");
    expect(agent.state.config).not.toContain("cert:");
    expect(await offered()).toBe("NoOp");
  });

  it.each([
    ["its name", () => change({ name: `${host.name}-renamed` }), { name: () => `${host.name}-renamed` }],
    ["its tags", () => change({ tags: ["a:b"] }), { groups: () => ["tag:a:b"] }],
  ] as const)("a certificate for %s", async (_what, make, expected) => {
    await make();
    expect(await offered()).toBe("DoUpdate");
    await agent.update("DoUpdate");
    for (const [key, value] of Object.entries(expected))
      expect(certificateOf(agent)[key as "name"]).toEqual(value());
    expect(await offered()).toBe("NoOp");
  });

  it("a certificate for its role and for the networks it leads to", async () => {
    const role = await owner.call(createRole, { body: { name: `Role of ${host.name}` } });
    await change({ roleID: role.id });
    const route = await owner.call(createRoute, {
      body: {
        name: `Through ${host.name}`,
        routerHostID: host.id,
        routableCIDRs: { "192.168.9.0/24": { install: true } },
      },
    });
    expect(await offered()).toBe("DoUpdate");
    await agent.update("DoUpdate");
    expect(certificateOf(agent).groups).toContain(`role:${role.id}`);
    expect(certificateOf(agent).unsafeNetworks.map(formatCidr)).toEqual(["192.168.9.0/24"]);
    await owner.call(deleteRoute, { params: { routeID: route.id } });
    expect(await offered()).toBe("DoUpdate");
  });

  it("what it can do: a certificate's worth where it cannot take less, and nothing it did not name", async () => {
    await change({ listenPort: 4243 });
    expect((await agent.poll(["DoUpdate"])).action.command).toBe("DoUpdate");
    expect((await agent.poll(["StreamLogs"])).action.command).toBe("NoOp");
    await change({ listenPort: 4243, tags: ["a:b"] });
    expect((await agent.poll(["DoConfigUpdate"])).action.command).toBe("NoOp");
  });

  it("the rules of its role and of its tags, and a route that it subscribes to", async () => {
    const role = await owner.call(createRole, { body: { name: `Rules of ${host.name}` } });
    const member = await fleet.add({ roleID: role.id, tags: [`only:${host.name}`] });
    const other = await TestAgent.enrollHost(server.url, owner, member.id);
    const rule = (port: number) => ({ protocol: "TCP" as const, portRange: { from: port, to: port } });
    await owner.call(updateRole, { params: { roleID: role.id }, body: { firewallRules: [rule(1001)] } });
    expect(await offered(other)).toBe("DoConfigUpdate");
    const tag = `only:${host.name}`;
    await owner.call(updateTag, { params: { tag }, body: { firewallRules: [rule(1002)] } });
    const route = await owner.call(createRoute, {
      body: { name: tag, routerHostID: host.id, routableCIDRs: { "10.200.0.0/24": { install: true } } },
    });
    await owner.call(updateTag, { params: { tag }, body: { routeSubscriptions: [route.id] } });
    await other.update("DoConfigUpdate");
    for (const part of ['"1001"', '"1002"', '"10.200.0.0/24"']) expect(other.state.config).toContain(part);
    await owner.call(updateRoute, {
      params: { routeID: route.id },
      body: { name: tag, routerHostID: host.id, routableCIDRs: { "10.201.0.0/24": { install: true } } },
    });
    await other.update("DoConfigUpdate");
    expect(other.state.config).toContain('"10.201.0.0/24"');
    await owner.call(deleteRoute, { params: { routeID: route.id } });
    expect(await offered(other)).toBe("DoConfigUpdate");
  });

  it("the network's setting, and other rules for another version of nebula", async () => {
    const own = await createFleet(server, owner);
    const lighthouse = await own.add({
      isLighthouse: true,
      listenPort: 4242,
      staticAddresses: ["192.0.2.1:4242"],
    });
    const plain = await TestAgent.enrollHost(server.url, owner, (await own.add()).id);
    expect(plain.state.config).toContain('"192.0.2.1:4242"');
    await owner.call(updateNetworkV2, {
      params: { networkID: own.networkID },
      body: { name: `Relaying ${lighthouse.id}`, lighthousesAsRelays: true },
    });
    expect(await offered(plain)).toBe("DoConfigUpdate");
    await plain.update("DoConfigUpdate");
    expect(plain.state.config).toContain(`relays:\n    - "${lighthouse.ipAddresses[0]}"`);
    expect(plain.state.config).toContain("default_local_cidr_any: false");
    plain.userAgent = plain.userAgent.replace("1.9.3", "1.10.1");
    expect(await offered(plain)).toBe("DoConfigUpdate");
    await plain.update("DoConfigUpdate");
    expect(plain.state.config).not.toContain("default_local_cidr_any");
  });

  it("another certificate when half of it is used up, and not before", async () => {
    const age = async (days: number) => {
      await server.query(
        `update host_certificates set not_before = not_before - make_interval(days => $2),
           not_after = not_after - make_interval(days => $2) where host_id = $1`,
        [host.id, days],
      );
      await change({});
    };
    await age(182);
    expect(await offered()).toBe("NoOp");
    await age(1);
    expect(await offered()).toBe("DoUpdate");
    await agent.update("DoUpdate");
    expect(await offered()).toBe("NoOp");
  });

  it("no certificate beyond the end of its authority, nor one after the other as that draws near", async () => {
    const own = await createFleet(server, owner);
    await server.query(
      `update certificate_authorities set not_after = date_trunc('second', now()) + interval '100 days'
         where network_id = $1`,
      [own.networkID],
    );
    const { id } = await own.add();
    const short = await TestAgent.enrollHost(server.url, owner, id);
    const [row] = await server.query(
      `select certificate.not_after = ca.not_after as same from host_certificates certificate
         join certificate_authorities ca on ca.id = ca_id where host_id = $1`,
      [id],
    );
    expect(row).toEqual({ same: true });
    await server.query(
      "update host_certificates set not_before = not_before - interval '300 days' where host_id = $1",
      [id],
    );
    await owner.call(updateHostV3, { params: { hostID: id }, body: {} });
    expect(await offered(short)).toBe("NoOp");
  });
});

describe("an update", () => {
  it("is signed by the organization, bears the nonce, and the next counter", async () => {
    await agent.update("DoUpdate");
    expect(agent.state.counter).toBe(2);
    await agent.update("DoConfigUpdate");
    expect(agent.state.counter).toBe(3);
    expect((await agent.send("CheckForUpdate")).status).toBe(200);
  });

  it("keeps the old key until the new one was used, and not a moment longer", async () => {
    const old = agent.state;
    const next = await agent.fetchUpdate("DoUpdate");
    expect((await agent.send("CheckForUpdate")).status).toBe(200);
    expect(await credentialsOf(host.id)).toEqual([{ counter: 1 }, { counter: 2 }]);
    agent.state = next;
    expect((await agent.send("CheckForUpdate")).status).toBe(200);
    expect(await credentialsOf(host.id)).toEqual([{ counter: 2 }]);
    expect((await agent.send("CheckForUpdate", undefined, old)).status).toBe(401);
    expect((await agent.send("DoUpdate", {}, old)).status).toBe(401);
  });

  it("whose answer was lost is offered again, and the one that arrives is the one that counts", async () => {
    await change({ listenPort: 4244 });
    const lost = await agent.fetchUpdate("DoConfigUpdate");
    expect(await offered()).toBe("DoConfigUpdate");
    const kept = await agent.fetchUpdate("DoConfigUpdate");
    expect([lost.counter, kept.counter]).toEqual([2, 2]);
    expect((await agent.send("CheckForUpdate", undefined, lost)).status).toBe(401);
    agent.state = kept;
    expect(await offered()).toBe("NoOp");
  });

  it("that was lost leaves the certificate in use the one that is shown", async () => {
    const shown = () =>
      server.query("select ca_id, certificate_expires_at as at from hosts where id = $1", [host.id]);
    const before = await shown();
    const lost = await agent.fetchUpdate("DoUpdate");
    expect(await agent.hasUpdate()).toBe(false);
    expect(await shown()).toEqual(before);
    agent.state = lost;
    await agent.hasUpdate();
    expect(await shown()).not.toEqual(before);
    const superseded = await server.query(
      "select superseded_at is not null as yes from host_certificates where host_id = $1 order by not_after",
      [host.id],
    );
    expect(superseded).toEqual([{ yes: true }, { yes: false }]);
  });

  it("leaves RENEWED by the host for a certificate, and nothing for a configuration", async () => {
    await agent.update("DoConfigUpdate");
    expect((await eventsOf(host.id))[0]).toBe("ENROLLED");
    await agent.update("DoUpdate");
    const [entry] = (await owner.call(listAuditLogs, { query: { "filter.targetID": host.id } })).data;
    expect(entry).toMatchObject({
      actor: { type: "host", id: host.id, name: host.name },
      event: { type: "RENEWED" },
    });
  });

  it("without the keys it needs is refused and changes nothing", async () => {
    const keys = { edPubkeyPEM: null, dhPubkeyPEM: null, nonce: "AAAA" };
    for (const type of ["DoUpdate", "DoConfigUpdate"])
      expect((await agent.send(type, keys)).errors).toMatchObject([{ path: "edPubkeyPEM" }]);
    expect(await credentialsOf(host.id)).toEqual([{ counter: 1 }]);
  });
});

describe("what a host reports", () => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
  const isDrifted = async () =>
    (await server.query<{ is_drifted: boolean }>("select is_drifted from hosts where id = $1", [host.id]))[0]!
      .is_drifted;

  it("is no drift when it runs what it was sent, with a certificate or without", async () => {
    expect((await agent.report({ configHash: sha256(agent.state.config) })).status).toBe(200);
    expect(await isDrifted()).toBe(false);
    await agent.update("DoConfigUpdate");
    await agent.report({ configHash: sha256(agent.state.config) });
    expect(await isDrifted()).toBe(false);
  });

  it("is drift when it runs something else, could not apply it, or should run something else", async () => {
    const configHash = sha256(agent.state.config);
    await agent.report({ configHash: sha256("something else") });
    expect(await isDrifted()).toBe(true);
    await agent.report({ configHash });
    expect(await isDrifted()).toBe(false);
    await agent.report({ configHash, error: "nebula refused it" });
    expect(await isDrifted()).toBe(true);
    await agent.report({ configHash });
    await change({ listenPort: 4245 });
    await agent.report({ configHash });
    expect(await isDrifted()).toBe(true);
  });

  it("is kept", async () => {
    const configHash = sha256(agent.state.config);
    await agent.report({
      configHash,
      nebulaVersion: null,
      appliedAt: "2026-05-04T03:02:01.000Z",
      tunnels: [{ vpnIp: "10.0.0.1" }],
    });
    const [row] = await server.query("select * from host_reports where host_id = $1", [host.id]);
    expect(row).toMatchObject({
      config_hash: configHash,
      nebula_version: null,
      applied_at: new Date("2026-05-04T03:02:01.000Z"),
      error: null,
      tunnels: [{ vpnIp: "10.0.0.1" }],
    });
  });
});
