import {
  createRole,
  createRoute,
  deleteRoute,
  updateHostV3,
  updateNetworkV2,
  updateRole,
  updateRoute,
  updateTag,
} from "@lightkeeper/contract";
import { decodeCertificateV1, decodePem, formatCidr } from "@lightkeeper/nebula";
import { describe, expect, it } from "vitest";
import { createFleet } from "../../testing/fleet.ts";
import { TestAgent } from "../../testing/test-agent.ts";
import {
  agent,
  change,
  fleet,
  host,
  offeredCommand,
  owner,
  server,
  useEnrolledHost,
} from "../../testing/updates-fixture.ts";

useEnrolledHost();

const certificateOf = ({ state }: TestAgent) =>
  decodeCertificateV1(decodePem("NEBULA CERTIFICATE", state.certificate)).details;

describe("a host is offered", () => {
  it("nothing when it is up to date", async () => {
    expect(await agent.poll()).toEqual({ action: { command: "NoOp" }, responseToken: "" });
    expect(await agent.hasUpdate()).toBe(false);
  });

  it("only a configuration for changes that its certificate doesn't contain", async () => {
    await change({ listenPort: 4242 });
    expect(await offeredCommand()).toBe("DoConfigUpdate");
    expect(await agent.hasUpdate()).toBe(true);
    await agent.update("DoConfigUpdate");
    expect(agent.state.config).toContain("port: 4242");
    expect(agent.state.config).not.toContain("cert:");
    expect(await offeredCommand()).toBe("NoOp");
  });

  it.each([
    ["its name", () => change({ name: `${host.name}-renamed` }), { name: () => `${host.name}-renamed` }],
    ["its tags", () => change({ tags: ["a:b"] }), { groups: () => ["tag:a:b"] }],
  ] as const)("a certificate for %s", async (_what, make, expected) => {
    await make();
    expect(await offeredCommand()).toBe("DoUpdate");
    await agent.update("DoUpdate");
    for (const [key, value] of Object.entries(expected))
      expect(certificateOf(agent)[key as "name"]).toEqual(value());
    expect(await offeredCommand()).toBe("NoOp");
  });

  it("a certificate for a new role and for the subnets that it routes", async () => {
    const role = await owner.call(createRole, { body: { name: `Role of ${host.name}` } });
    await change({ roleID: role.id });
    const route = await owner.call(createRoute, {
      body: {
        name: `Through ${host.name}`,
        routerHostID: host.id,
        routableCIDRs: { "192.168.9.0/24": { install: true } },
      },
    });
    expect(await offeredCommand()).toBe("DoUpdate");
    await agent.update("DoUpdate");
    expect(certificateOf(agent).groups).toContain(`role:${role.id}`);
    expect(certificateOf(agent).unsafeNetworks.map(formatCidr)).toEqual(["192.168.9.0/24"]);
    await owner.call(deleteRoute, { params: { routeID: route.id } });
    expect(await offeredCommand()).toBe("DoUpdate");
  });

  it("only updates that its agent supports: a certificate if it can't apply a configuration alone", async () => {
    await change({ listenPort: 4243 });
    expect((await agent.poll(["DoUpdate"])).action.command).toBe("DoUpdate");
    expect((await agent.poll(["StreamLogs"])).action.command).toBe("NoOp");
    await change({ listenPort: 4243, tags: ["a:b"] });
    expect((await agent.poll(["DoConfigUpdate"])).action.command).toBe("NoOp");
  });

  it("the rules of its role and of its tags, and a route that it subscribes to", async () => {
    const role = await owner.call(createRole, { body: { name: `Rules of ${host.name}` } });
    const member = await fleet.add({ roleID: role.id, tags: [`only:${host.name}`] });
    const memberAgent = await TestAgent.enrollHost(server.url, owner, member.id);
    const rule = (port: number) => ({ protocol: "TCP" as const, portRange: { from: port, to: port } });
    await owner.call(updateRole, { params: { roleID: role.id }, body: { firewallRules: [rule(1001)] } });
    expect(await offeredCommand(memberAgent)).toBe("DoConfigUpdate");
    const tag = `only:${host.name}`;
    await owner.call(updateTag, { params: { tag }, body: { firewallRules: [rule(1002)] } });
    const route = await owner.call(createRoute, {
      body: { name: tag, routerHostID: host.id, routableCIDRs: { "10.200.0.0/24": { install: true } } },
    });
    await owner.call(updateTag, { params: { tag }, body: { routeSubscriptions: [route.id] } });
    await memberAgent.update("DoConfigUpdate");
    for (const part of ['"1001"', '"1002"', '"10.200.0.0/24"'])
      expect(memberAgent.state.config).toContain(part);
    await owner.call(updateRoute, {
      params: { routeID: route.id },
      body: { name: tag, routerHostID: host.id, routableCIDRs: { "10.201.0.0/24": { install: true } } },
    });
    await memberAgent.update("DoConfigUpdate");
    expect(memberAgent.state.config).toContain('"10.201.0.0/24"');
    await owner.call(deleteRoute, { params: { routeID: route.id } });
    expect(await offeredCommand(memberAgent)).toBe("DoConfigUpdate");
  });

  it("the network's setting, and other rules for another version of nebula", async () => {
    const separateFleet = await createFleet(server, owner);
    const lighthouse = await separateFleet.add({
      isLighthouse: true,
      listenPort: 4242,
      staticAddresses: ["192.0.2.1:4242"],
    });
    const plain = await TestAgent.enrollHost(server.url, owner, (await separateFleet.add()).id);
    expect(plain.state.config).toContain('"192.0.2.1:4242"');
    await owner.call(updateNetworkV2, {
      params: { networkID: separateFleet.networkID },
      body: { name: `Relaying ${lighthouse.id}`, lighthousesAsRelays: true },
    });
    expect(await offeredCommand(plain)).toBe("DoConfigUpdate");
    await plain.update("DoConfigUpdate");
    expect(plain.state.config).toContain(`relays:\n    - "${lighthouse.ipAddresses[0]}"`);
    expect(plain.state.config).toContain("default_local_cidr_any: false");
    plain.userAgent = plain.userAgent.replace("1.9.3", "1.10.1");
    expect(await offeredCommand(plain)).toBe("DoConfigUpdate");
    await plain.update("DoConfigUpdate");
    expect(plain.state.config).not.toContain("default_local_cidr_any");
  });

  it("a new certificate after half of its lifetime, and not before", async () => {
    const age = async (days: number) => {
      await server.query(
        `update host_certificates set not_before = not_before - make_interval(days => $2),
           not_after = not_after - make_interval(days => $2) where host_id = $1`,
        [host.id, days],
      );
      await change({});
    };
    await age(182);
    expect(await offeredCommand()).toBe("NoOp");
    await age(1);
    expect(await offeredCommand()).toBe("DoUpdate");
    await agent.update("DoUpdate");
    expect(await offeredCommand()).toBe("NoOp");
  });

  it("no certificate that outlives its CA, and no repeated certificates when the CA is about to expire", async () => {
    const separateFleet = await createFleet(server, owner);
    await server.query(
      `update certificate_authorities set not_after = date_trunc('second', now()) + interval '100 days'
         where network_id = $1`,
      [separateFleet.networkID],
    );
    const { id } = await separateFleet.add();
    const shortLived = await TestAgent.enrollHost(server.url, owner, id);
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
    expect(await offeredCommand(shortLived)).toBe("NoOp");
  });
});
