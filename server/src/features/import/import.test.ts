import {
  createNetwork,
  createRole,
  getTag,
  listAuditLogs,
  listHostsV2,
  listTags,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/server.ts";
import { createImporter, EVERYTHING, type Importer } from "../../testing/importer.ts";

let server: TestServer;
let me: Importer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  me = await createImporter(server);
});

describe("a plan", () => {
  it("shows what would be created, and creates nothing", async () => {
    const before = await me.entries();
    const { planToken, ...rest } = await me.planYaml(EVERYTHING);
    expect(planToken).toMatch(/^[\w-]{43}$/);
    expect(rest).toEqual({
      create: [
        { place: "roles[0]", kind: "role", name: "Ops" },
        { place: "roles[1]", kind: "role", name: "Web" },
        { place: "tags[0]", kind: "tag", name: "env:prod" },
        { place: "tags[1]", kind: "tag", name: "team:a" },
        { place: "hosts[0]", kind: "host", name: "light", network: "Main" },
        { place: "hosts[1]", kind: "host", name: "web-1", network: "Main" },
        { place: "hosts[2]", kind: "host", name: "web-2", network: "Main" },
      ],
      change: [],
      reject: [],
      unchanged: 0,
    });
    expect(await me.hosts()).toEqual([]);
    expect(await me.roleNamed("Ops")).toBeUndefined();
    expect(await me.entries()).toEqual(before);
  });

  it("is applied with one audit entry for every item", async () => {
    const before = (await me.entries()).length;
    expect(await me.apply(await me.planYaml(EVERYTHING))).toEqual({ created: 7, changed: 0 });
    const [ops, web] = [await me.roleNamed("Ops"), await me.roleNamed("Web")];
    expect(ops).toMatchObject({
      description: "Operations team",
      firewallRules: [
        { allowedRoleID: ops?.id, allowedTags: ["env:prod"], portRange: { from: 22, to: 22 } },
        { protocol: "ICMP", allowedRoleID: web?.id },
      ],
    });
    expect(web?.firewallRules).toMatchObject([{ allowedRoleID: ops?.id }]);
    expect(await me.call(getTag, { params: { tag: "env:prod" } })).toMatchObject({
      description: "Paying customers",
      configOverrides: [{ key: "logging.level", value: "warning" }],
      firewallRules: [{ protocol: "UDP", allowedRoleID: web?.id }],
      hostCount: 1,
    });
    const { data: tags } = await me.call(listTags);
    expect(tags.map(({ name }) => name)).toEqual(["env:prod", "team:a", "team:b"]);
    expect(await me.hostNamed("light")).toMatchObject({
      isLighthouse: true,
      listenPort: 4242,
      staticAddresses: ["192.0.2.1:4242"],
      roleID: null,
    });
    expect(await me.hostNamed("web-1")).toMatchObject({
      roleID: web?.id,
      ipAddresses: ["10.1.0.77"],
      tags: ["env:prod", "team:b"],
    });
    expect(await me.hostNamed("web-2")).toMatchObject({
      roleID: (await me.roleNamed("Lighthouse"))?.id,
      configOverrides: [{ key: "tun.mtu", value: 1300 }],
    });
    const made = (await me.entries()).slice(0, -before);
    expect(made.sort()).toEqual([
      "host CREATED",
      "host CREATED",
      "host CREATED",
      "role CREATED",
      "role CREATED",
      "tag CREATED",
      "tag CREATED",
      "tag CREATED",
    ]);
  });

  it("writes audit entries with the final state only", async () => {
    await me.apply(await me.planYaml(EVERYTHING));
    const ops = await me.roleNamed("Ops");
    const logOf = async (id = "") =>
      (await me.call(listAuditLogs, { query: { "filter.targetID": id } })).data.map(({ event }) => event);
    expect(await logOf(ops?.id)).toMatchObject([
      { type: "CREATED", before: null, after: { name: "Ops", firewallRules: ops?.firewallRules } },
    ]);
    expect(await logOf("env:prod")).toMatchObject([
      { type: "CREATED", before: null, after: { description: "Paying customers" } },
    ]);
  });

  it("of existing items reports them as unchanged", async () => {
    await me.apply(await me.planYaml(EVERYTHING));
    const again = await me.planYaml(EVERYTHING);
    expect(again).toMatchObject({ create: [], change: [], reject: [], unchanged: 7 });
    const before = await me.entries();
    expect(await me.apply(again)).toEqual({ created: 0, changed: 0 });
    expect(await me.entries()).toEqual(before);
  });

  it("works with CSV too, in the order of its lines", async () => {
    const content = `type,name,network,role,tags,ipAddress,staticAddresses,listenPort,isLighthouse,isRelay,description
host,relay,Main,Ops,env:prod team:a,10.1.0.9,,4242,,true,
role,Ops,,,,,,,,,Operations team
tag,env:prod,,,,,,,,,Paying customers
,plain,MAIN,,,,,,,,
`;
    const planned = await me.planCsv(content);
    expect(planned).toMatchObject({
      create: [
        { place: "line 2", kind: "host", name: "relay", network: "Main" },
        { place: "line 3", kind: "role", name: "Ops" },
        { place: "line 4", kind: "tag", name: "env:prod" },
        { place: "line 5", kind: "host", name: "plain", network: "Main" },
      ],
      reject: [],
    });
    expect(await me.apply(planned)).toEqual({ created: 4, changed: 0 });
    expect(await me.hostNamed("relay")).toMatchObject({
      isRelay: true,
      listenPort: 4242,
      ipAddresses: ["10.1.0.9"],
      tags: ["env:prod", "team:a"],
      roleID: (await me.roleNamed("Ops"))?.id,
    });
    expect((await me.roleNamed("Ops"))?.description).toBe("Operations team");
    expect((await me.planCsv(content)).unchanged).toBe(4);
  });

  it("accepts networks and roles by ID too", async () => {
    const { id } = await me.call(createRole, { body: { name: "Ops" } });
    const rule = `{protocol: TCP, allowedRoleID: ${id}}`;
    const planned = await me.planYaml(
      `roles: [{name: Db, firewallRules: [${rule}]}]\nhosts: [{name: a, network: ${me.networkID}, role: ${id}}]`,
    );
    expect(planned.reject).toEqual([]);
    await me.apply(planned);
    expect((await me.hostNamed("a"))?.roleID).toBe(id);
    expect((await me.roleNamed("Db"))?.firewallRules).toMatchObject([{ allowedRoleID: id }]);
  });
});

describe("2,000 hosts", () => {
  it("are planned, created, found unchanged and changed", async () => {
    await me.call(createNetwork, { body: { name: "Large", cidr: "10.64.0.0/16" } });
    const table = (role: string) =>
      `type,name,network,role,tags\nrole,${role},,,\n${Array.from(
        { length: 2000 },
        (_, index) => `host,host-${index},Large,${role},env:prod site:${index % 20}`,
      ).join("\n")}\n`;
    const made = await me.planCsv(table("Edge"));
    expect(made.create).toHaveLength(2001);
    expect(await me.apply(made)).toEqual({ created: 2001, changed: 0 });
    expect(await me.planCsv(table("Edge"))).toMatchObject({ unchanged: 2001, create: [], change: [] });
    const changed = await me.planCsv(table("Core"));
    expect([changed.create.length, changed.change.length]).toEqual([1, 2000]);
    expect(await me.apply(changed)).toEqual({ created: 1, changed: 2000 });
    const { metadata } = await me.call(listHostsV2, {
      query: { "filter.roleID": (await me.roleNamed("Core"))?.id, includeCounts: true, pageSize: 1 },
    });
    expect(metadata.totalCount).toBe(2000);
    const [addresses] = await server.query<{ count: string }>(
      "select count(distinct ip_address) from hosts where organization_id = $1",
      [me.session.organizationID],
    );
    expect(Number(addresses?.count)).toBe(2000);
  });
});
