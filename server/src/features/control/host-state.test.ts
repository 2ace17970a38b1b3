import { createHash } from "node:crypto";
import {
  blockHostV2,
  createRole,
  createRoute,
  getHostState,
  getHostV2,
  type HostV2,
  NotFoundError,
  updateHostV3,
  updateRole,
  updateTag,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { insertApiKey } from "../../testing/api-keys.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});
afterAll(() => server.close());

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const stateOf = ({ id }: HostV2, { call } = owner) => call(getHostState, { params: { hostID: id } });
const enroll = ({ id }: HostV2) => TestAgent.enrollHost(server.url, owner, id);
const reportSent = (agent: TestAgent) => agent.report({ configHash: hashOf(agent.state.config) });
const rule = (port: number) => ({ protocol: "TCP" as const, portRange: { from: port, to: port } });

describe("the state of a host", () => {
  it("that never enrolled has only the configuration that the host would get", async () => {
    const host = await fleet.add({ listenPort: 4567 });
    const state = await stateOf(host);
    expect(state).toEqual({
      hostID: host.id,
      config: expect.stringContaining("port: 4567"),
      intendedHash: hashOf(state.config),
      runningHash: null,
      runningConfig: null,
      isDrifted: false,
      reportedAt: null,
      appliedAt: null,
      error: null,
      nebulaVersion: null,
      certificate: null,
      tunnels: [],
      system: null,
      publicEndpoints: [],
      rules: [],
      routesServed: [],
      routesUsed: [],
      omitted: [],
      wider: [],
    });
  });

  it("has the configuration that was sent to the host, without its certificate and keys", async () => {
    const host = await fleet.add();
    const agent = await enroll(host);
    const { config } = await stateOf(host);
    const withoutCertificate = agent.state.config.replace(/\n {2}cert: \|-?\n(?: {4}.*\n)+/, "\n");
    expect(config).toBe(withoutCertificate);
    expect(config).not.toMatch(/PRIVATE|^ {2}(key|cert):/m);
  });

  it("shows that the host runs the intended configuration after the host has reported it", async () => {
    const host = await fleet.add();
    const agent = await enroll(host);
    expect(await stateOf(host)).toMatchObject({ runningHash: null, nebulaVersion: "1.9.3" });
    const appliedAt = "2026-05-04T03:02:01.000Z";
    await agent.report({ configHash: hashOf(agent.state.config), appliedAt });
    const state = await stateOf(host);
    expect(state).toMatchObject({ appliedAt, isDrifted: false, nebulaVersion: "1.9.3", error: null });
    expect(state.runningHash).toBe(state.intendedHash);
    expect(state.runningConfig).toBeNull();
    expect(Date.parse(state.reportedAt!)).toBeGreaterThan(Date.now() - 60_000);
  });

  it("shows the running and the changed configuration until the host applies the change", async () => {
    const role = await owner.call(createRole, { body: { name: "Changing", firewallRules: [rule(1001)] } });
    const host = await fleet.add({ roleID: role.id });
    const agent = await enroll(host);
    await reportSent(agent);
    const before = await stateOf(host);
    await owner.call(updateRole, { params: { roleID: role.id }, body: { firewallRules: [rule(1002)] } });
    const between = await stateOf(host);
    expect(between.config).toContain('"1002"');
    expect(between.runningConfig).toBe(before.config);
    expect(between.runningHash).toBe(before.intendedHash);
    await agent.update("DoConfigUpdate");
    await reportSent(agent);
    const after = await stateOf(host);
    expect(after.config).toBe(between.config);
    expect(after).toMatchObject({ runningHash: after.intendedHash, runningConfig: null });
  });

  it("has no running configuration if the host reports an unknown hash, and shows the reported error", async () => {
    const host = await fleet.add();
    const agent = await enroll(host);
    await agent.report({ configHash: "f00", error: "nebula does not start" });
    expect(await stateOf(host)).toMatchObject({
      runningHash: "f00",
      runningConfig: null,
      isDrifted: true,
      error: "nebula does not start",
    });
    const { metadata } = await owner.call(getHostV2, { params: { hostID: host.id } });
    expect(metadata.statuses).toContain("drifted");
  });

  it("shows the certificate in use and its groups", async () => {
    const host = await fleet.add({ tags: ["env:prod"] });
    const agent = await enroll(host);
    const { certificate } = await stateOf(host);
    const [stored] = await server.query<{ fingerprint: string; ca_id: string }>(
      "select fingerprint, ca_id from host_certificates where host_id = $1",
      [host.id],
    );
    expect(certificate).toMatchObject({
      fingerprint: stored?.fingerprint,
      certificateAuthorityID: stored?.ca_id,
      groups: ["tag:env:prod"],
    });
    await owner.call(updateHostV3, {
      params: { hostID: host.id },
      body: { ...host, tags: ["env:test"] },
    });
    expect((await stateOf(host)).certificate).toEqual(certificate);
    await agent.update("DoUpdate");
    await agent.send("CheckForUpdate");
    const renewed = (await stateOf(host)).certificate;
    expect(renewed).toMatchObject({ groups: ["tag:env:test"] });
    expect(renewed?.fingerprint).not.toBe(certificate?.fingerprint);
    await owner.call(blockHostV2, { params: { hostID: host.id } });
    expect(await stateOf(host)).toMatchObject({ certificate: null, runningHash: null });
  });

  it("shows the hosts at the other end of tunnels if they are in the network", async () => {
    const [host, peer] = [await fleet.add(), await fleet.add()];
    const agent = await enroll(host);
    const addresses = [...peer.ipAddresses, "203.0.113.9", "nonsense", "fd00::1"];
    await agent.report({ configHash: "0", tunnels: addresses.map((vpnIp) => ({ vpnIp })) });
    const [known, ...unknown] = addresses;
    const notReported = { path: null, remoteAddress: null, relays: [], handshakeAt: null, latencyMs: null };
    expect((await stateOf(host)).tunnels).toEqual([
      { vpnIp: known, hostID: peer.id, hostName: peer.name, ...notReported },
      ...unknown.map((vpnIp) => ({ vpnIp, ...notReported })),
    ]);
    await agent.report({ configHash: "1" });
    expect((await stateOf(host)).tunnels).toHaveLength(addresses.length);
    await agent.report({ configHash: "1", tunnels: [] });
    expect((await stateOf(host)).tunnels).toEqual([]);
  });

  it("shows omitted routes, and rules that an old version of Nebula would widen", async () => {
    const role = await owner.call(createRole, { body: { name: "Routing", firewallRules: [rule(22)] } });
    const host = await fleet.add({ roleID: role.id, tags: ["routes:own"] });
    const route = await owner.call(createRoute, {
      body: {
        name: "Its own",
        routerHostID: host.id,
        routableCIDRs: { "192.168.7.0/24": { install: true } },
        firewallRules: [rule(80)],
      },
    });
    await owner.call(updateTag, {
      params: { tag: "routes:own" },
      body: { routeSubscriptions: [route.id] },
    });
    expect(await stateOf(host)).toMatchObject({
      omitted: [{ kind: "route", cidr: "192.168.7.0/24", reason: "servedByItself" }],
      wider: [],
    });
    const agent = await enroll(host);
    await agent.report({ configHash: "0", nebulaVersion: "1.7.2" });
    expect((await stateOf(host)).wider).toEqual([
      { source: { kind: "role" }, index: 0, opens: "routedNetworks" },
      { source: { kind: "route", id: route.id }, index: 0, opens: "routerAndAllRoutedNetworks" },
    ]);
  });

  it("has the rules of the role, the tags and the served routes, and the routes that it serves and uses", async () => {
    const role = await owner.call(createRole, {
      body: { name: "Gateways", firewallRules: [rule(22), { ...rule(23), description: "Telnet" }] },
    });
    const tags = ["site:lan"];
    const router = await fleet.add({ roleID: role.id, tags });
    const other = await fleet.add({ tags: ["site:other"] });
    const body = (routerHostID: string, cidr: string) => ({
      routerHostID,
      routableCIDRs: { [cidr]: { install: true } },
      firewallRules: [rule(443)],
    });
    const lan = await owner.call(createRoute, {
      body: { name: "LAN", ...body(router.id, "192.168.8.0/24") },
    });
    const far = await owner.call(createRoute, { body: { name: "Far", ...body(other.id, "192.168.9.0/24") } });
    await owner.call(updateTag, {
      params: { tag: "site:lan" },
      body: { firewallRules: [rule(9100)], routeSubscriptions: [far.id] },
    });
    await owner.call(updateTag, { params: { tag: "site:other" }, body: { routeSubscriptions: [lan.id] } });
    const state = await stateOf(router);
    expect(state.rules).toMatchObject([
      { source: { type: "role", id: role.id, name: "Gateways" }, index: 0, rule: rule(22) },
      { source: { type: "role", id: role.id, name: "Gateways" }, index: 1, rule: { description: "Telnet" } },
      { source: { type: "tag", id: "site:lan", name: "site:lan" }, index: 0, rule: rule(9100) },
      { source: { type: "route", id: lan.id, name: "LAN" }, index: 0, rule: rule(443) },
    ]);
    expect(state.routesServed).toEqual([
      { id: lan.id, name: "LAN", cidrs: ["192.168.8.0/24"], tags: ["site:other"] },
    ]);
    const at = { vpnIp: other.ipAddresses[0], hostID: other.id, hostName: other.name };
    expect(state.routesUsed).toEqual([
      { id: far.id, name: "Far", cidrs: ["192.168.9.0/24"], router: at, tags },
    ]);
    expect(await stateOf(other)).toMatchObject({ rules: [{ source: { name: "Far" } }] });
  });

  it("requires permission to read hosts of the organization", async () => {
    const host = await fleet.add();
    const stranger = await server.signUp();
    await expect(stateOf(host, stranger)).rejects.toBeInstanceOf(NotFoundError);
    const { token } = await insertApiKey(server, owner, ["hosts:list"]);
    const call = server.client(token)(getHostState, { params: { hostID: host.id } });
    expect(await errorCodesOf(call)).toEqual(["ERR_FORBIDDEN"]);
  });
});
