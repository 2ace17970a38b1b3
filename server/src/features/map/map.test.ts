import {
  blockHostV2,
  createRole,
  createRoute,
  getNetworkMap,
  type HostV2,
  type HostV2CreateInput,
  MAP_HOSTS_MAX,
  type NetworkMap,
  NotFoundError,
} from "@lightkeeper/contract";
import type { ReportedTunnel } from "@lightkeeper/contract/agent";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { insertApiKey } from "../../testing/api-keys.ts";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { joinAs } from "../../testing/members.ts";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";
import { presentMap } from "./present-map.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
});
beforeEach(async () => {
  fleet = await createFleet(server, owner);
});
afterAll(() => server.close());

const readMap = (networkID = fleet.networkID, { call } = owner) =>
  call(getNetworkMap, { params: { networkID } });

const DIRECT = { remoteAddress: "203.0.113.7:4242", relays: [] };

/** Enrolls a host. Its agent calls, which brings the host online. */
async function enroll(input: Partial<HostV2CreateInput> = {}, of: Fleet = fleet) {
  const host = await of.add(input);
  const agent = await TestAgent.enrollHost(server.url, owner, host.id);
  const report = (tunnels?: ReportedTunnel[]) =>
    agent.report({ configHash: "0", ...(tunnels && { tunnels }) });
  return { host, address: host.ipAddresses[0] ?? "", report };
}

/** Marks the hosts as online, which otherwise takes until the next write of their presence. */
const setOnline = (hosts: readonly { host: HostV2 }[], isOnline = true) =>
  server.query("update hosts set is_online = $2 where id = any($1)", [
    hosts.map(({ host }) => host.id),
    isOnline,
  ]);

const nameOf = (map: NetworkMap, position: number | null | undefined) =>
  position === null || position === undefined ? null : map.hosts.name[position];

/** Every tunnel as names: the ends in alphabetical order, the path and the relay. */
function tunnelsIn(map: NetworkMap) {
  const { direct, relayed, unknown } = map.tunnels;
  const endsOf = ({ first, second }: { first: number[]; second: number[][] }) =>
    first.flatMap((position, group) =>
      second[group]!.map((peer) => [nameOf(map, position), nameOf(map, peer)].sort().join(" ")),
    );
  const relays = relayed.relay.flat();
  return [
    ...endsOf(direct).map((ends) => [ends, "direct"]),
    ...endsOf(relayed).map((ends, index) => [ends, "relayed", nameOf(map, relays[index])]),
    ...endsOf(unknown).map((ends) => [ends, "unknown"]),
  ];
}

describe("the hosts of a map", () => {
  it("have a name, address, role, tags, statuses and version, by position", async () => {
    const role = await owner.call(createRole, { body: { name: `Map role ${fleet.networkID.slice(-4)}` } });
    const lighthouse = await enroll({
      name: "beacon",
      isLighthouse: true,
      listenPort: 4242,
      staticAddresses: ["192.0.2.1:4242"],
    });
    const web = await enroll({ name: "web", roleID: role.id, tags: ["env:prod", "site:fra"] });
    await fleet.add({ name: "new", isRelay: true, listenPort: 4242, tags: ["site:fra"] });
    await setOnline([web, lighthouse]);
    await web.report([]);
    const map = await readMap();
    expect(map).toMatchObject({ networkID: fleet.networkID, hostCount: 3, overview: null });
    const at = (name: string) => map.hosts.name.indexOf(name);
    const roleOf = (name: string) => map.hosts.role[at(name)];
    const tagsOf = (name: string) => map.hosts.tags[at(name)]?.map((tag) => map.tags[tag]);
    const statusesOf = (name: string) => map.statuses[map.hosts.statuses[at(name)] ?? -1];
    expect(map.hosts.id[at("web")]).toBe(web.host.id);
    expect(map.hosts.ipAddress[at("web")]).toBe(web.address);
    expect(map.roleIDs[roleOf("web") ?? -1]).toBe(role.id);
    expect([roleOf("beacon"), roleOf("new")]).toEqual([null, null]);
    expect([tagsOf("web"), tagsOf("new")]).toEqual([["env:prod", "site:fra"], ["site:fra"]]);
    expect([statusesOf("beacon"), statusesOf("new")]).toEqual([["online"], ["neverEnrolled"]]);
    expect(map.versions[map.hosts.version[at("web")] ?? -1]).toBe("1.0.0");
    expect(map.hosts.version[at("new")]).toBeNull();
    expect([map.lighthouses, map.relays]).toEqual([[at("beacon")], [at("new")]]);
    expect(map.notReporting).toEqual([at("beacon")]);
  });

  it("are those of the network only, with the routes whose router is one of them", async () => {
    const gateway = await fleet.add({ name: "gateway" });
    const other = await createFleet(server, owner);
    const elsewhere = await other.add({ name: "elsewhere" });
    const addRoute = (name: string, routerHostID: string) =>
      owner.call(createRoute, {
        body: { name, routerHostID, routableCIDRs: { "10.0.8.0/22": {}, "10.0.4.0/24": {} } },
      });
    const office = await addRoute("Office", gateway.id);
    await addRoute("Laboratory", elsewhere.id);
    const map = await readMap();
    expect(map.hosts.name).toEqual(["gateway"]);
    expect(map.routes).toEqual([
      { id: office.id, name: "Office", router: 0, subnets: ["10.0.4.0/24", "10.0.8.0/22"] },
    ]);
  });

  it("are only counted by role and tag if there are too many", async () => {
    await fleet.addMany(3);
    await fleet.add({ name: "tagged", tags: ["site:fra"] });
    await server.query("update networks set host_count = $2 where id = $1", [
      fleet.networkID,
      MAP_HOSTS_MAX + 1,
    ]);
    const map = await readMap();
    expect(map).toMatchObject({ hostCount: MAP_HOSTS_MAX + 1, hosts: { id: [] }, routes: [] });
    expect(map.overview).toMatchObject({
      roles: [{ roleID: null, counts: { hosts: 4, neverEnrolled: 4, online: 0, blocked: 0 } }],
      tags: [{ tag: "site:fra", counts: { hosts: 1, neverEnrolled: 1 } }],
    });
  });

  it("can be none", async () => {
    expect(await readMap()).toMatchObject({ hostCount: 0, hosts: { id: [] }, overview: null });
  });
});

describe("the tunnels of a map", () => {
  it("are listed once, whether one end or both have reported them", async () => {
    const [a, b, c] = [await enroll({ name: "a" }), await enroll({ name: "b" }), await enroll({ name: "c" })];
    await setOnline([a, b, c]);
    await a.report([{ vpnIp: b.address, ...DIRECT }]);
    expect(tunnelsIn(await readMap())).toEqual([["a b", "direct"]]);
    await b.report([
      { vpnIp: a.address, ...DIRECT },
      { vpnIp: a.address, ...DIRECT },
      { vpnIp: c.address, ...DIRECT },
    ]);
    expect(tunnelsIn(await readMap()).sort()).toEqual([
      ["a b", "direct"],
      ["b c", "direct"],
    ]);
  });

  it("have the path that was reported last, or the only known one", async () => {
    const [a, b, relay] = [
      await enroll({ name: "a" }),
      await enroll({ name: "b" }),
      await enroll({ name: "relay", isRelay: true, listenPort: 4242 }),
    ];
    await setOnline([a, b, relay]);
    await a.report([{ vpnIp: b.address }]);
    expect(tunnelsIn(await readMap())).toEqual([["a b", "unknown"]]);
    await b.report([{ vpnIp: a.address, remoteAddress: null, relays: ["192.0.2.9"] }]);
    expect(tunnelsIn(await readMap())).toEqual([["a b", "relayed", null]]);
    server.advance(1000);
    await b.report([{ vpnIp: a.address, remoteAddress: null, relays: [relay.address] }]);
    expect(tunnelsIn(await readMap())).toEqual([["a b", "relayed", "relay"]]);
    server.advance(1000);
    await a.report([{ vpnIp: b.address, ...DIRECT }]);
    expect(tunnelsIn(await readMap())).toEqual([["a b", "direct"]]);
  });

  it("end at hosts of this network that are online and not blocked", async () => {
    const [a, b, c] = [await enroll({ name: "a" }), await enroll({ name: "b" }), await enroll({ name: "c" })];
    const other = await createFleet(server, owner, "10.9.0.0/24");
    const elsewhere = await enroll({ name: "elsewhere" }, other);
    await setOnline([a, b, c, elsewhere]);
    const addresses = [a.address, b.address, c.address, elsewhere.address, "no address"];
    await a.report(addresses.map((vpnIp) => ({ vpnIp, ...DIRECT })));
    await b.report([{ vpnIp: a.address, ...DIRECT }]);
    expect(tunnelsIn(await readMap()).sort()).toEqual([
      ["a b", "direct"],
      ["a c", "direct"],
    ]);
    await setOnline([b], false);
    expect(tunnelsIn(await readMap())).toEqual([["a c", "direct"]]);
    await setOnline([b]);
    await owner.call(blockHostV2, { params: { hostID: c.host.id } });
    expect(tunnelsIn(await readMap())).toEqual([["a b", "direct"]]);
  });
});

describe("the map", () => {
  it("is visible to auditors and to keys with the scopes, and to nobody else", async () => {
    const auditor = await joinAs(server, owner, "auditor");
    expect(await readMap(fleet.networkID, auditor)).toMatchObject({ hostCount: 0 });
    const withScopes = await insertApiKey(server, owner, ["hosts:list", "routes:list"]);
    const params = { networkID: fleet.networkID };
    expect(await server.client(withScopes.token)(getNetworkMap, { params })).toMatchObject({ hostCount: 0 });
    const withOneScope = await insertApiKey(server, owner, ["hosts:list"]);
    expect(await errorCodesOf(server.client(withOneScope.token)(getNetworkMap, { params }))).toEqual([
      "ERR_FORBIDDEN",
    ]);
    expect(await errorCodesOf(server.client()(getNetworkMap, { params }))).toEqual(["ERR_UNAUTHORIZED"]);
  });

  it("doesn't exist for another organization or for an invalid ID", async () => {
    const stranger = await server.signUp();
    await expect(readMap(fleet.networkID, stranger)).rejects.toThrow(NotFoundError);
    await expect(readMap("network-nonsense")).rejects.toThrow(NotFoundError);
  });

  it("is the same for two requests at the same time", async () => {
    await fleet.addMany(50);
    const [first, second] = await Promise.all([readMap(), readMap()]);
    expect(first.hosts.id).toHaveLength(50);
    expect(second).toEqual(first);
  });

  it("skips a router that was deleted between the statements", () => {
    const route = { id: "route-1", name: "Office", routable_cidrs: { "10.0.8.0/22": { install: true } } };
    const rows = { networkID: fleet.networkID, hosts: [], routes: [{ ...route, router_id: "host-1" }] };
    expect(presentMap(rows)).toMatchObject({ hostCount: 0, routes: [] });
  });
});
