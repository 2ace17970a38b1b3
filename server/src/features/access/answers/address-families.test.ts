/** Answers about a network with IPv4 and IPv6 addresses. */
import {
  type BodyInputOf,
  checkAccess,
  createGuarantee,
  getHostAccess,
  lintRules,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccessFleet, createAccessFleet } from "../../../testing/access-fixture.ts";
import { errorsOf } from "../../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../../testing/server.ts";

let server: TestServer;
let owner: Session;
let fleet: AccessFleet;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createAccessFleet(server, owner);
  await addIpv6();
});
afterAll(() => server.close());

/** The laptop has only an IPv4 address, web-2 only an IPv6 address, and all others have both. */
async function addIpv6(): Promise<void> {
  await server.query(
    "update networks set ipv6_cidr = 'fd90::/64', next_ipv6_address = 'fd90::100' where id = $1",
    [fleet.networkID],
  );
  await server.query(
    `update hosts set ipv6_address = 'fd90::'::inet + (ip_address - '10.90.0.0'::inet)
     where network_id = $1 and name <> 'laptop'`,
    [fleet.networkID],
  );
  await server.query("update hosts set ip_address = ipv6_address where id = $1", [fleet.hosts["web-2"]]);
}

type Body = BodyInputOf<typeof checkAccess>;
type HostName = keyof AccessFleet["hosts"];
const host = (name: HostName) => ({ hostID: fleet.hosts[name] });
const check = (source: HostName, destination: Body["destination"], port: number) =>
  owner.call(checkAccess, { body: { source: host(source), destination, protocol: "TCP", port } });

describe("a check", () => {
  it("between hosts uses a family that both have", async () => {
    expect(await check("web-2", host("database-1"), 5432)).toMatchObject({
      answer: "all",
      example: {
        source: { ipAddress: "fd90::2" },
        destination: { host: { name: "database-1", ipAddress: "10.90.0.3" }, address: "fd90::3" },
        isAllowed: true,
      },
      traffic: [{ protocol: "TCP", portRange: { from: 5432, to: 5432 } }],
    });
    expect(await check("web-1", host("database-1"), 5432)).toMatchObject({
      answer: "all",
      example: { destination: { address: "10.90.0.3" } },
    });
  });

  it("names the host without an address of the family", async () => {
    expect(await check("laptop", host("web-2"), 443)).toMatchObject({
      answer: "none",
      example: {
        destination: { address: "fd90::2" },
        failedCheck: { kind: "noCommonFamily", host: { name: "laptop" } },
        smallestRule: null,
      },
      traffic: [],
    });
  });

  it("finds a host by any form of its IPv6 address, and answers for this address", async () => {
    const address = "FD90:0:0::0003";
    expect(await check("web-1", { address }, 5432)).toMatchObject({
      answer: "all",
      example: { destination: { host: { name: "database-1" }, address: "fd90::3" } },
    });
    expect(await check("laptop", { address }, 22)).toMatchObject({
      answer: "none",
      example: { failedCheck: { kind: "noCommonFamily", host: { name: "laptop" } } },
    });
    expect(await check("laptop", { address: "10.90.0.3" }, 22)).toMatchObject({ answer: "all" });
    expect(await check("database-1", { address }, 22)).toMatchObject({
      pairCount: 1,
      example: { failedCheck: { kind: "sameHost" } },
    });
  });
});

it("the access of a host leaves out hosts without a family in common", async () => {
  const { outbound } = await owner.call(getHostAccess, { params: host("laptop") });
  const reached = outbound.flatMap(({ group }) => group.hosts.map(({ name }) => name));
  expect(reached.toSorted()).toEqual(["database-1", "web-1"]);
});

describe("an IPv6 subnet", () => {
  const guaranteeTo = (cidr: string) =>
    owner.call(createGuarantee, {
      body: {
        type: "MUST_NEVER_REACH",
        source: { type: "any" },
        destination: { type: "subnet", cidr },
        protocol: "ANY",
        portRange: null,
        networkID: null,
      },
    });

  it("can be the destination of a guarantee", async () => {
    expect(await guaranteeTo("fd05:0:5::/64")).toMatchObject({
      destination: { type: "subnet", cidr: "fd05:0:5::/64" },
    });
  });

  it.each(["fd05:0:5::1/64", "fd05:0:5::/129", "fd05::5", "192.168.5.1/24"])(
    "of a guarantee is rejected if it isn't in CIDR form: %s",
    async (cidr) => {
      expect(await errorsOf(guaranteeTo(cidr))).toMatchObject([
        { path: "destination.cidr", message: expect.stringMatching(/IPv4 or IPv6 network/) },
      ]);
    },
  );

  it("can be linted in the rules of a route", async () => {
    const rule = (localCIDR: string) => ({ protocol: "TCP", portRange: null, localCIDR }) as const;
    const lint = (localCIDR: string) =>
      owner.call(lintRules, {
        body: { type: "route", subnets: ["fd05:0:5::/64"], firewallRules: [rule("::/0"), rule(localCIDR)] },
      });
    expect(await lint("fd05:0:5::/65")).toMatchObject({ lints: [{ index: 1, kind: "covered", by: [0] }] });
    expect(await lint("fd05:0:6::/64")).toMatchObject({
      lints: [{ index: 1, kind: "neverMatches", reason: "outsideSubnets" }],
    });
    expect(await errorsOf(lint("fd05:::/64"))).toMatchObject([
      { path: "firewallRules[1].localCIDR", message: expect.stringMatching(/IPv6/) },
    ]);
  });
});
