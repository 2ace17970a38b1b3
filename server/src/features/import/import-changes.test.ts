import { createRole, createRoute, createTag, getHostV2, getRole, getTag } from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/server.ts";
import { createImporter, type Importer } from "../../testing/importer.ts";

let server: TestServer;
let me: Importer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  me = await createImporter(server);
});

describe("an existing item that differs", () => {
  it("is changed only in the properties of the file", async () => {
    const ops = await me.call(createRole, {
      body: { name: "Ops", description: "Old", firewallRules: [{ protocol: "ICMP" }] },
    });
    const router = await me.addHost({ name: "router" });
    const route = await me.call(createRoute, {
      body: {
        name: "Office",
        routerHostID: router.id,
        routableCIDRs: { "192.168.7.0/24": { install: true } },
      },
    });
    const body = { name: "env:prod", description: "Old", routeSubscriptions: [route.id] };
    await me.call(createTag, {
      body: { ...body, configOverrides: [{ key: "tun.mtu", value: 1300 }] },
    });
    const host = await me.addHost({
      name: "Web",
      roleID: ops.id,
      tags: ["env:prod"],
      staticAddresses: ["192.0.2.7:4242"],
      listenPort: 4242,
      configOverrides: [{ key: "tun.mtu", value: 1400 }],
    });
    const planned = await me.planYaml(`
roles: [{name: OPS, description: New}]
tags: [{name: "env:prod", firewallRules: [{protocol: ANY}]}]
hosts: [{name: web, network: Main, listenPort: 0, tags: ["env:prod", "team:a"]}]
`);
    const { planToken: _, ...rest } = planned;
    expect(rest).toEqual({
      create: [],
      change: [
        { place: "roles[0]", kind: "role", name: "OPS", id: ops.id, properties: ["description"] },
        { place: "tags[0]", kind: "tag", name: "env:prod", id: "env:prod", properties: ["firewallRules"] },
        {
          place: "hosts[0]",
          kind: "host",
          name: "web",
          network: "Main",
          id: host.id,
          properties: ["listenPort", "tags"],
        },
      ],
      reject: [],
      unchanged: 0,
    });
    const before = (await me.entries()).length;
    expect(await me.apply(planned)).toEqual({ created: 0, changed: 3 });
    expect((await me.entries()).slice(0, -before).sort()).toEqual([
      "host UPDATED",
      "role UPDATED",
      "tag CREATED",
      "tag UPDATED",
    ]);
    expect(await me.call(getRole, { params: { roleID: ops.id } })).toMatchObject({
      name: "Ops",
      description: "New",
      firewallRules: [{ protocol: "ICMP" }],
    });
    expect(await me.call(getTag, { params: { tag: "env:prod" } })).toMatchObject({
      description: "Old",
      configOverrides: [{ key: "tun.mtu", value: 1300 }],
      routeSubscriptions: [route.id],
      firewallRules: [{ protocol: "ANY" }],
    });
    const { modifiedAt: _at, ...unchanged } = host;
    expect(await me.call(getHostV2, { params: { hostID: host.id } })).toMatchObject({
      ...unchanged,
      listenPort: 0,
      tags: ["env:prod", "team:a"],
    });
  });

  it("keeps the description and the owner that the file omits", async () => {
    const { id } = await me.addHost({ name: "described", description: "Old", owner: "Ops" });
    const planned = await me.planYaml("hosts: [{name: described, network: Main, description: New}]");
    expect(planned.change.map(({ properties }) => properties)).toEqual([["description"]]);
    await me.apply(planned);
    expect(await me.call(getHostV2, { params: { hostID: id } })).toMatchObject({
      description: "New",
      owner: "Ops",
    });
    const csv = await me.planCsv("name,network,owner\ndescribed,Main,Platform\nadded,Main,Data\n");
    await me.apply(csv);
    expect(await me.call(getHostV2, { params: { hostID: id } })).toMatchObject({ owner: "Platform" });
  });

  it("is not changed by another order of overrides or tags", async () => {
    await me.addHost({
      name: "web",
      tags: ["a:1", "b:2"],
      configOverrides: [
        { key: "tun.mtu", value: 1300 },
        { key: "lighthouse.local_allow_list", value: { interfaces: { "eth.*": false, "tun.*": false } } },
      ],
    });
    const planned = await me.planYaml(`
hosts:
  - name: WEB
    network: Main
    tags: ["b:2", "a:1", "b:2"]
    configOverrides:
      - {key: lighthouse.local_allow_list, value: {interfaces: {"tun.*": false, "eth.*": false}}}
      - {key: tun.mtu, value: 1300}
`);
    expect(planned).toMatchObject({ create: [], change: [], reject: [], unchanged: 1 });
  });

  it("loses its role if the file removes it, and gets a SET_OVERRIDES event if only overrides change", async () => {
    const ops = await me.call(createRole, { body: { name: "Ops" } });
    const [a, b] = [await me.addHost({ name: "a", roleID: ops.id }), await me.addHost({ name: "b" })];
    const planned = await me.planYaml(`
hosts:
  - {name: a, network: Main, role: null}
  - {name: b, network: Main, configOverrides: [{key: tun.mtu, value: 1300}]}
`);
    expect(planned.change.map(({ id, properties }) => [id, properties])).toEqual([
      [a.id, ["role"]],
      [b.id, ["configOverrides"]],
    ]);
    await me.apply(planned);
    expect((await me.hostNamed("a"))?.roleID).toBeNull();
    expect((await me.entries()).slice(0, 2).sort()).toEqual(["host SET_OVERRIDES", "host UPDATED"]);
  });

  it("may get roles and rules that the same import creates", async () => {
    const ops = await me.call(createRole, { body: { name: "Ops" } });
    const host = await me.addHost({ name: "a" });
    const planned = await me.planYaml(`
roles: [{name: New}, {name: Ops, firewallRules: [{protocol: TCP, allowedRole: new}]}]
hosts: [{name: a, network: Main, role: NEW}]
`);
    expect(planned.change.map(({ id, properties }) => [id, properties])).toEqual([
      [ops.id, ["firewallRules"]],
      [host.id, ["role"]],
    ]);
    await me.apply(planned);
    const made = await me.roleNamed("New");
    expect((await me.hostNamed("a"))?.roleID).toBe(made?.id);
    expect((await me.roleNamed("Ops"))?.firewallRules).toMatchObject([{ allowedRoleID: made?.id }]);
  });
});
