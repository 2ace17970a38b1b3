import {
  createHostV2,
  createNetwork,
  createRole,
  createRoute,
  getHostState,
  getRoute,
  type HostV2,
  listAuditLogs,
  listRoutes,
  updateRoute,
  updateTag,
} from "@lightkeeper/contract";
import { decodeCertificateV1, decodePem, formatCidr } from "@lightkeeper/nebula";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

let server: TestServer;
let owner: Session;
let networkID: string;
let roleID: string;
let host: HostV2;
let agent: TestAgent;
let objectCount = 0;
beforeAll(async () => {
  server = await startTestServer({ agentPollMs: 50 });
  owner = await server.signUp();
  await server.query("update organizations set plan = 'pro' where id = $1", [owner.organizationID]);
  networkID = (await owner.call(createNetwork, { body: { name: "Overlay" } })).id;
  const body = { name: "Router", firewallRules: [{ protocol: "ICMP" as const }] };
  roleID = (await owner.call(createRole, { body })).id;
});
beforeEach(async () => {
  host = await owner.call(createHostV2, { body: { name: `host-${++objectCount}`, networkID, roleID } });
  agent = await TestAgent.enrollHost(server.url, owner, host.id, userAgent("1.6.1"));
  await reportNebulaVersion("1.6.1");
});
afterAll(() => server.close());

const userAgent = (version: string) => `lightkeeper-agent/1.0.0 (linux; arm64) nebula/${version}`;
async function reportNebulaVersion(nebulaVersion: string | null): Promise<void> {
  agent.userAgent = userAgent(nebulaVersion ?? "unknown");
  await agent.report({ configHash: "", nebulaVersion });
}
const lan = { "192.168.1.0/24": { install: true } };
const firewallRules = [
  { protocol: "TCP" as const, portRange: { from: 443, to: 443 }, localCIDR: "192.168.1.7/32" },
];
const routeBody = (changes: object = {}) => ({
  name: `Route ${++objectCount}`,
  routerHostID: host.id,
  routableCIDRs: lan,
  firewallRules,
  ...changes,
});
const create = (changes: object = {}) => owner.call(createRoute, { body: routeBody(changes) });
const update = (routeID: string, changes: object = {}) =>
  owner.call(updateRoute, { params: { routeID }, body: routeBody(changes) });
const ofRole = { source: { kind: "role" }, index: 0, opens: "routedNetworks" };
const ofRoute = { source: { kind: "route" }, index: 0, opens: "routerAndAllRoutedNetworks" };

describe("a route whose router runs a Nebula version that would widen rules", () => {
  it("is rejected with the version and the rules when it is created or updated", async () => {
    const waiting = await create({ routerHostID: null });
    for (const attempt of [() => create(), () => update(waiting.id)]) {
      const rejected = await errorsOf(attempt());
      expect(rejected).toMatchObject([
        {
          code: "ERR_RULES_WIDER",
          path: "routerHostID",
          message: expect.stringMatching(/Nebula 1\.6\.1.*2 of its rules/),
          extra: { nebulaVersion: "1.6.1", rules: [ofRole, ofRoute] },
        },
      ]);
    }
    expect(await owner.call(getRoute, { params: { routeID: waiting.id } })).toEqual(waiting);
  });

  it("is rejected before the router's first report, based on the version at its enrollment", async () => {
    host = await owner.call(createHostV2, { body: { name: `silent-${objectCount}`, networkID, roleID } });
    await TestAgent.enrollHost(server.url, owner, host.id, userAgent("1.6.1"));
    expect(await errorCodesOf(create())).toEqual(["ERR_RULES_WIDER"]);
  });

  it("is rejected for rules of the router's role, of its tags and of its other routes", async () => {
    expect(await errorsOf(create({ firewallRules: [] }))).toMatchObject([{ extra: { rules: [ofRole] } }]);
    const tag = `of:${objectCount}`;
    const tagged = await owner.call(createHostV2, {
      body: { name: `tagged-${objectCount}`, networkID, tags: [tag] },
    });
    agent = await TestAgent.enrollHost(server.url, owner, tagged.id, userAgent("1.6.1"));
    host = tagged;
    await reportNebulaVersion("1.6.1");
    await owner.call(updateTag, { params: { tag }, body: { firewallRules: [{ protocol: "ANY" }] } });
    const first = await create({ acceptWiderRules: true });
    expect(await errorsOf(create({ firewallRules: [] }))).toMatchObject([
      {
        extra: {
          rules: [
            { source: { kind: "tag", name: tag }, index: 0, opens: "routedNetworks" },
            { ...ofRoute, source: { kind: "route", id: first.id } },
          ],
        },
      },
    ]);
  });

  it("is accepted if there are no rules to widen or no subnets to route", async () => {
    expect(await create({ routableCIDRs: {}, firewallRules: [] })).toMatchObject({ acceptWiderRules: false });
    host = await owner.call(createHostV2, { body: { name: `bare-${objectCount}`, networkID } });
    agent = await TestAgent.enrollHost(server.url, owner, host.id, userAgent("1.6.1"));
    await reportNebulaVersion("1.6.1");
    expect(await create({ firewallRules: [] })).toMatchObject({ routerHostID: host.id });
  });

  it.each(["1.9.0", "1.11.0", null, "nonsense"])(
    "is accepted if the router runs version %s",
    async (version) => {
      await reportNebulaVersion(version);
      expect(await create()).toMatchObject({ acceptWiderRules: false });
    },
  );

  it("is accepted with acceptWiderRules, which is stored, returned and audited", async () => {
    const route = await create({ acceptWiderRules: true });
    expect(route.acceptWiderRules).toBe(true);
    const params = { routeID: route.id };
    expect(await owner.call(getRoute, { params })).toEqual(route);
    const { data } = await owner.call(listRoutes);
    expect(data.find(({ id }) => id === route.id)?.acceptWiderRules).toBe(true);
    await reportNebulaVersion("1.9.3");
    const { acceptWiderRules } = await update(route.id);
    expect(acceptWiderRules).toBe(false);
    const [log] = (await owner.call(listAuditLogs, { query: { "filter.targetID": route.id } })).data;
    expect(log?.event).toMatchObject({
      before: { acceptWiderRules: true },
      after: { acceptWiderRules: false },
    });
    await reportNebulaVersion("1.6.1");
    expect(await errorCodesOf(update(route.id))).toEqual(["ERR_RULES_WIDER"]);
  });

  it("requires a boolean for acceptWiderRules", async () => {
    expect(await errorsOf(create({ acceptWiderRules: "yes" }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "acceptWiderRules" },
    ]);
  });
});

describe("a router that would widen rules", () => {
  const fetchUpdate = async () => {
    await agent.update("DoUpdate");
    await agent.hasUpdate();
    const { certificate, config } = agent.state;
    const { unsafeNetworks } = decodeCertificateV1(decodePem("NEBULA CERTIFICATE", certificate)).details;
    const [, inbound = ""] = config.split("\n  inbound:");
    return { networks: unsafeNetworks.map(formatCidr), inbound };
  };
  const widerRules = async () => {
    const { wider } = await owner.call(getHostState, { params: { hostID: host.id } });
    return wider;
  };

  it("gets no routes, and its own rules unchanged, until this is accepted or its Nebula is upgraded", async () => {
    await reportNebulaVersion("1.9.3");
    const route = await create();
    await reportNebulaVersion("1.6.1");
    const old = await fetchUpdate();
    expect(old.networks).toEqual([]);
    expect(old.inbound).toContain("icmp");
    expect(old.inbound).not.toContain("443");
    expect(await widerRules()).toEqual([ofRole, { ...ofRoute, source: { kind: "route", id: route.id } }]);

    await update(route.id, { acceptWiderRules: true });
    expect((await agent.poll()).action.command).toBe("DoUpdate");
    const accepted = await fetchUpdate();
    expect(accepted.networks).toEqual(["192.168.1.0/24"]);
    expect(accepted.inbound).toMatch(/icmp[^]*443|443[^]*icmp/);
    expect(accepted.inbound).not.toContain("local_cidr");

    await reportNebulaVersion("1.9.3");
    expect((await agent.poll()).action.command).toBe("DoConfigUpdate");
    const exact = await fetchUpdate();
    expect(exact.networks).toEqual(["192.168.1.0/24"]);
    expect(exact.inbound).toContain('local_cidr: "192.168.1.7/32"');
    expect(await widerRules()).toEqual([]);
  });

  it("gets no routes until wider rules are accepted for all of its routes", async () => {
    await reportNebulaVersion("1.9.3");
    const strict = await create();
    await create({
      acceptWiderRules: true,
      routableCIDRs: { "192.168.2.0/24": { install: true } },
      firewallRules: [],
    });
    await reportNebulaVersion("1.6.1");
    expect((await fetchUpdate()).networks).toEqual([]);
    await update(strict.id, { acceptWiderRules: true });
    expect((await fetchUpdate()).networks).toEqual(["192.168.1.0/24", "192.168.2.0/24"]);
  });
});
