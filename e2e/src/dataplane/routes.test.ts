/** Subnets behind a router: their machines have no nebula and are reached through the router. */
import {
  createRole,
  createRoute,
  createTag,
  deleteRoute,
  type RouteFirewallRule,
  updateHostV3,
  updateRoute,
  updateTag,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import type { OverlayHost } from "./overlay-host.ts";
import { Probe } from "./probe.ts";
import { selectCases } from "./select-cases.ts";
import { until } from "../until.ts";
import { type NebulaVersion, nebulaVersions, TestNetwork } from "./test-network.ts";
import { describeStories, describeStory } from "../story.ts";

type Rule = Partial<RouteFirewallRule> & Pick<RouteFirewallRule, "protocol">;

const LAN = "192.168.55.0/24";
const [PRINTER, CAMERA] = ["192.168.55.2", "192.168.55.3"];
const [OPEN, SHUT] = [8080, 9090];
const only = (port: number) => ({ from: port, to: port });

/** Two hosts with different roles that can subscribe, and a router with a printer and a camera behind it. */
async function createOffice(version: NebulaVersion) {
  const testNetwork = await TestNetwork.create(version, inject("server"));
  const role = (name: string) =>
    testNetwork.call(createRole, { body: { name, firewallRules: [{ protocol: "ICMP" }] } });
  const [host, client] = [await role("host"), await role("client")];
  await testNetwork.call(createTag, { body: { name: "reach:lan" } });
  const lighthouse = await testNetwork.addHost("lighthouse", {
    isLighthouse: true,
    isStatic: true,
    roleID: host.id,
  });
  const router = await testNetwork.addHost("router", { roleID: host.id });
  const subscribed = await testNetwork.addHost("subscribed", { roleID: client.id, tags: ["reach:lan"] });
  const otherHost = await testNetwork.addHost("stranger", { roleID: host.id, tags: ["reach:lan"] });
  const lan = await testNetwork.underlay.createMachineBehind(router.machine, "lan");
  await lan.ip("addr", "add", `${CAMERA}/24`, "dev", "eth0");
  await testNetwork.startHosts(lighthouse);
  for (const probe of [new Probe(lan), router.probe])
    for (const port of [OPEN, SHUT]) await Promise.all([probe.serve("tcp", port), probe.serve("udp", port)]);
  const byClients: Rule = { protocol: "TCP", portRange: only(OPEN), allowedRoleID: client.id };
  return {
    testNetwork,
    router,
    subscribed,
    /** Also subscribed, but without the role in the rules. */
    otherHost,
    byClients,
    route: (...firewallRules: Rule[]) => ({
      name: "office",
      routerHostID: router.id,
      routableCIDRs: { [LAN]: { install: true } },
      firewallRules,
    }),
    subscribe: (routeID: string) =>
      testNetwork.call(updateTag, { params: { tag: "reach:lan" }, body: { routeSubscriptions: [routeID] } }),
    tag: ({ id }: OverlayHost, tags: string[]) =>
      testNetwork.call(updateHostV3, { params: { hostID: id }, body: { roleID: client.id, tags } }),
  };
}
type Office = Awaited<ReturnType<typeof createOffice>>;

const hasRoute = async ({ machine }: OverlayHost) =>
  (await machine.ip("route", "show", LAN)).includes("nebula1");
const reaches = (from: OverlayHost, address: string, port = OPEN, ms = 700) =>
  from.probe.reach("tcp", address, port, ms);
const stopsReaching = (from: OverlayHost, address: string) =>
  until(`${from.machine.name} no longer reaches ${address}`, async () => !(await reaches(from, address)));

/** Versions that can limit a rule to a subnet. */
const [oldest, ...narrowing] = nebulaVersions;

describeStories(selectCases(narrowing, ["1.9.3"]), "with nebula %s", (version) => {
  let office: Office;
  let routeID: string;
  beforeAll(async () => {
    office = await createOffice(version);
  });
  afterAll(() => office.testNetwork.remove());

  const setRules = (...rules: Rule[]) =>
    office.testNetwork.call(updateRoute, { params: { routeID }, body: office.route(...rules) });

  it("a host without a subscription has no route", async () => {
    const { testNetwork, subscribed, route, byClients } = office;
    routeID = (await testNetwork.call(createRoute, { body: route(byClients) })).id;
    expect(await hasRoute(subscribed)).toBe(false);
    expect(await reaches(subscribed, PRINTER)).toBe(false);
  });

  it("a subscription adds the route to running hosts, and rules allow matching hosts only", async () => {
    const { router, subscribed, otherHost, subscribe } = office;
    await subscribe(routeID);
    for (const host of [subscribed, otherHost])
      await until(`${host.machine.name} has the route`, () => hasRoute(host));
    await until("the printer is reached", () => reaches(subscribed, PRINTER), { seconds: 60 });
    await until("the camera is reached", () => reaches(subscribed, CAMERA));
    expect(await reaches(subscribed, PRINTER, SHUT, 1500)).toBe(false);
    expect(await subscribed.probe.reach("udp", PRINTER, OPEN, 1500)).toBe(false);
    expect(await subscribed.probe.ping(PRINTER)).toBe(false);
    expect(await reaches(otherHost, PRINTER, OPEN, 1500)).toBe(false);
    // The router's own role allows pings only.
    expect(await subscribed.probe.ping(router.address)).toBe(true);
    expect(await reaches(subscribed, router.address, OPEN, 1500)).toBe(false);
  });

  it("a rule for a part of the subnet allows only that part", async () => {
    const { subscribed, otherHost } = office;
    await setRules({ protocol: "TCP", portRange: only(OPEN), localCIDR: `${CAMERA}/32` });
    await until("the camera is reached", () => reaches(otherHost, CAMERA));
    await stopsReaching(subscribed, PRINTER);
    expect(await reaches(otherHost, PRINTER, OPEN, 1500)).toBe(false);
  });

  it("a rule requires the role and all tags, and traffic is allowed if any rule matches", async () => {
    const { subscribed, otherHost, byClients } = office;
    const byTag: Rule = { protocol: "UDP", portRange: only(SHUT), allowedTags: ["reach:lan"] };
    await setRules({ ...byClients, allowedTags: ["reach:lan"] }, byTag);
    await until("the printer is reached", () => reaches(subscribed, PRINTER));
    await until("the printer is reached", () => otherHost.probe.reach("udp", PRINTER, SHUT));
    expect(await reaches(otherHost, PRINTER, OPEN, 1500)).toBe(false);
    await setRules(byTag);
    await stopsReaching(subscribed, PRINTER);
    await setRules(byClients);
    await until("the printer is reached", () => reaches(subscribed, PRINTER));
  });

  it("a host that loses its subscription loses the route", async () => {
    const { subscribed, otherHost, tag } = office;
    await tag(subscribed, []);
    await until("the route is removed", async () => !(await hasRoute(subscribed)));
    expect(await reaches(subscribed, PRINTER)).toBe(false);
    expect(await hasRoute(otherHost)).toBe(true);
    await tag(subscribed, ["reach:lan"]);
    await until("the printer is reached", () => reaches(subscribed, PRINTER), { seconds: 60 });
  });

  it("a deleted route is removed from all hosts, and its router is a plain host again", async () => {
    const { testNetwork, router, subscribed, otherHost } = office;
    await testNetwork.call(deleteRoute, { params: { routeID } });
    for (const host of [subscribed, otherHost])
      await until("the route is removed", async () => !(await hasRoute(host)));
    expect(await reaches(subscribed, PRINTER)).toBe(false);
    // Packets that are sent there anyway are dropped.
    await subscribed.machine.ip("route", "add", LAN, "dev", "nebula1");
    await stopsReaching(subscribed, PRINTER);
    await until("the router replies", () => subscribed.probe.ping(router.address));
  });
});

describeStory(`with nebula ${oldest}, which would widen a route's rules`, () => {
  let office: Office;
  let routeID: string;
  beforeAll(async () => {
    office = await createOffice(oldest);
  });
  afterAll(() => office.testNetwork.remove());

  it("such a route is rejected, and nothing is allowed", async () => {
    const { testNetwork, router, subscribed, route, byClients } = office;
    const rejected = testNetwork.call(createRoute, { body: route(byClients) });
    await expect(rejected).rejects.toMatchObject({ errors: [{ code: "ERR_RULES_WIDER" }] });
    expect(await reaches(subscribed, router.address)).toBe(false);
  });

  it("if accepted, its rules allow matching hosts to reach the subnet and the router", async () => {
    const { testNetwork, router, subscribed, otherHost, route, byClients, subscribe } = office;
    const body = { ...route(byClients), acceptWiderRules: true };
    routeID = (await testNetwork.call(createRoute, { body })).id;
    await subscribe(routeID);
    for (const address of [PRINTER, CAMERA, router.address])
      await until(`${address} is reached`, () => reaches(subscribed, address), { seconds: 60 });
    expect(await reaches(subscribed, PRINTER, SHUT, 1500)).toBe(false);
    await until("the host with another role has the route", () => hasRoute(otherHost));
    for (const address of [PRINTER, router.address])
      expect(await reaches(otherHost, address, OPEN, 1500)).toBe(false);
  });

  it("a host that loses its subscription loses the route", async () => {
    const { subscribed, otherHost, tag } = office;
    await tag(subscribed, []);
    await until("the route is removed", async () => !(await hasRoute(subscribed)));
    expect(await reaches(subscribed, PRINTER)).toBe(false);
    expect(await hasRoute(otherHost)).toBe(true);
  });

  it("a deleted route removes the access that it allowed", async () => {
    const { testNetwork, router, subscribed, otherHost } = office;
    await testNetwork.call(deleteRoute, { params: { routeID } });
    await until("the route is removed", async () => !(await hasRoute(otherHost)));
    await until("the router replies", () => subscribed.probe.ping(router.address));
    await stopsReaching(subscribed, router.address);
  });
});
