import {
  type AccessAnswer,
  blockHostV2,
  type BodyInputOf,
  checkAccess,
  createHostV2,
  createNetwork,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccessFleet, createAccessFleet } from "../../../testing/access-fixture.ts";
import { markEnrolled } from "../../../testing/enrolled-hosts.ts";
import { insertApiKey } from "../../../testing/api-keys.ts";
import { joinAs } from "../../../testing/members.ts";
import { errorCodesOf, errorsOf } from "../../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../../testing/server.ts";

let server: TestServer;
let owner: Session;
let fleet: AccessFleet;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  fleet = await createAccessFleet(server, owner);
});
afterAll(() => server.close());

type Body = BodyInputOf<typeof checkAccess>;
type HostName = keyof AccessFleet["hosts"];

const host = (name: HostName) => ({ hostID: fleet.hosts[name] });
const check = (
  source: Body["source"],
  destination: Body["destination"],
  port: number | null = 443,
  session = owner,
): Promise<AccessAnswer> =>
  session.call(checkAccess, {
    body: { source, destination, protocol: port === null ? "ICMP" : "TCP", port },
  });
const role = (name: keyof AccessFleet["roles"], tags: string[] = []) => ({
  networkID: fleet.networkID,
  roleID: fleet.roles[name],
  tags,
});
const toRole = (name: keyof AccessFleet["roles"], tags: string[] = []) => ({
  roleID: fleet.roles[name],
  tags,
});

describe("a check between two hosts", () => {
  it("names the rule that allows the connection, and all other traffic", async () => {
    const answer = await check(host("web-1"), host("database-1"), 5432);
    expect(answer).toMatchObject({
      answer: "all",
      pairCount: 1,
      allowedPairCount: 1,
      example: {
        source: { id: fleet.hosts["web-1"], name: "web-1", ipAddress: "10.90.0.1" },
        destination: { host: { name: "database-1" }, address: "10.90.0.3" },
        isAllowed: true,
        failedCheck: null,
        decidingHost: { name: "database-1" },
        ruleCount: 2,
        route: null,
        rules: [
          {
            source: { type: "role", id: fleet.roles.database, name: "Database" },
            index: 0,
            rule: { protocol: "TCP", allowedRoleID: fleet.roles.web, description: "" },
          },
        ],
        smallestRule: null,
        isInSync: null,
        certificateExpiresAt: "2099-01-01T00:00:00.000Z",
      },
      traffic: [{ protocol: "TCP", portRange: { from: 5432, to: 5432 } }],
    });
    expect(answer.revision).toBeGreaterThan(0);
  });

  it("names the rule that is missing", async () => {
    expect(await check(host("web-1"), host("database-1"), 22)).toMatchObject({
      answer: "none",
      example: {
        isAllowed: false,
        failedCheck: { kind: "noRule", host: { name: "database-1" } },
        rules: [],
        smallestRule: {
          target: { type: "role", id: fleet.roles.database, name: "Database" },
          rule: { protocol: "TCP", portRange: { from: 22, to: 22 }, allowedRoleID: fleet.roles.web },
          sourceCount: 2,
          destinationCount: 1,
        },
      },
      traffic: [{ protocol: "TCP", portRange: { from: 5432, to: 5432 } }],
    });
  });

  it("fails for a host and itself", async () => {
    const expected = { answer: "none", example: { failedCheck: { kind: "sameHost" } }, traffic: [] };
    expect(await check(host("web-1"), host("web-1"))).toMatchObject(expected);
    expect(await check(host("web-1"), { address: "10.90.0.1" })).toMatchObject(expected);
  });

  it("fails between networks", async () => {
    const network = await owner.call(createNetwork, { body: { name: "Staging", cidr: "10.91.0.0/24" } });
    const other = await owner.call(createHostV2, { body: { name: "staging", networkID: network.id } });
    const destination = { hostID: other.id };
    expect(await check(host("web-1"), destination)).toMatchObject({
      answer: "none",
      pairCount: 1,
      example: {
        destination: { host: { name: "staging" }, address: "10.91.0.1" },
        failedCheck: { kind: "otherNetwork", host: null },
      },
      traffic: [],
    });
    expect(await check(role("web"), destination)).toMatchObject({ answer: "none", pairCount: 2 });
  });

  it("depends on certificates, and tells whether both hosts run their newest configuration", async () => {
    const another = await server.signUp();
    const { hosts, networkID } = await createAccessFleet(server, another);
    const ask = () => check({ hostID: hosts.laptop }, { hostID: hosts["web-1"] }, 443, another);
    await server.query(
      `insert into host_reports (host_id, organization_id, config_hash, tunnels, reported_at)
        select id, organization_id, 'hash', '[]', now() from hosts where network_id = $1`,
      [networkID],
    );
    expect(await ask()).toMatchObject({ answer: "all", example: { isInSync: true } });
    await server.query("update hosts set is_drifted = true where id = $1", [hosts.laptop]);
    expect(await ask()).toMatchObject({ answer: "all", example: { isInSync: false } });
    await another.call(blockHostV2, { params: { hostID: hosts["web-1"] } });
    expect(await ask()).toMatchObject({
      answer: "none",
      example: { failedCheck: { kind: "blocked", host: { name: "web-1" } }, certificateExpiresAt: null },
    });
  });
});

describe("a check of roles", () => {
  it("counts pairs of different hosts", async () => {
    expect(await check(role("web"), toRole("web"))).toMatchObject({ answer: "all", pairCount: 2 });
    expect(await check(role("web"), toRole("database"), 5432)).toMatchObject({
      answer: "all",
      pairCount: 2,
      allowedPairCount: 2,
      example: { isAllowed: true },
    });
    expect(await check(role("web", ["env:test"]), host("database-1"), 5432)).toMatchObject({ pairCount: 1 });
  });

  it("shows a pair that can't connect if only some can", async () => {
    const anyHost = { networkID: fleet.networkID, roleID: null };
    expect(await check(anyHost, host("database-1"), 5432)).toMatchObject({
      answer: "some",
      pairCount: 4,
      allowedPairCount: 2,
      example: { source: { name: "laptop" }, isAllowed: false, failedCheck: { kind: "noRule" } },
    });
  });

  it("without hosts has no example", async () => {
    expect(await check(role("router", ["team:data"]), toRole("web"))).toEqual({
      answer: "none",
      pairCount: 0,
      allowedPairCount: 0,
      example: null,
      traffic: [],
      revision: expect.any(Number) as number,
    });
  });
});

describe("a check of an address", () => {
  it("names the route, its router and the rule of the route", async () => {
    expect(await check(host("laptop"), { address: "192.168.5.9" }, 80)).toMatchObject({
      answer: "all",
      example: {
        destination: { host: null, address: "192.168.5.9" },
        decidingHost: { name: "router" },
        route: { subnet: "192.168.5.0/24", routers: [{ name: "router" }] },
        rules: [{ source: { type: "route", id: fleet.routeID, name: "Office" }, index: 0 }],
      },
      traffic: [{ protocol: "TCP", portRange: { from: 80, to: 80 } }],
    });
  });

  it("fails without a route, and for an address that no host has", async () => {
    expect(await check(role("web"), { address: "192.168.5.9" }, 80)).toMatchObject({
      answer: "none",
      pairCount: 2,
      example: { failedCheck: { kind: "noRoute", host: null } },
    });
    expect(await check(host("web-1"), { address: "10.90.0.200" })).toMatchObject({
      example: { failedCheck: { kind: "unknownAddress" } },
      traffic: [],
    });
  });
});

describe("a check is rejected", () => {
  it("if a reference is unknown, with its path", async () => {
    const pathsOf = async (call: Promise<unknown>) =>
      (await errorsOf(call)).map(({ code, path }) => [code, path]);
    const unknown = { hostID: "host-unknown" };
    const reference = (path: string) => [["ERR_INVALID_REFERENCE", path]];
    expect(await pathsOf(check(unknown, host("web-1")))).toEqual(reference("source.hostID"));
    expect(await pathsOf(check(host("web-1"), unknown))).toEqual(reference("destination.hostID"));
    const unknownNetwork = { networkID: "network-unknown", roleID: null };
    expect(await pathsOf(check(unknownNetwork, host("web-1")))).toEqual(reference("source.networkID"));
    const unknownRole = { networkID: fleet.networkID, roleID: "role-unknown" };
    expect(await pathsOf(check(unknownRole, host("web-1")))).toEqual(reference("source.roleID"));
    expect(await pathsOf(check(host("web-1"), { roleID: "role-unknown" }))).toEqual(
      reference("destination.roleID"),
    );
    expect(await pathsOf(check(host("web-1"), toRole("web", ["env:test", "a:b"])))).toEqual(
      reference("destination.tags[1]"),
    );
  });

  it("if the address or the port is invalid", async () => {
    for (const address of ["", "192.168.5", "192.168.5.0/24", "fd00:::1", "::ffff:10.0.0.1", "example.com"])
      expect(await errorsOf(check(host("web-1"), { address }))).toMatchObject([
        { code: "ERR_INVALID_VALUE", path: "destination.address" },
      ]);
    const body = { source: host("web-1"), destination: host("web-2"), protocol: "TCP" } as const;
    expect(await errorsOf(owner.call(checkAccess, { body }))).toMatchObject([{ path: "port" }]);
    const withPort = { ...body, protocol: "ICMP", port: 1 } as const;
    expect(await errorsOf(owner.call(checkAccess, { body: withPort }))).toMatchObject([{ path: "port" }]);
  });

  it("for API keys without the scope, but not for auditors", async () => {
    const { token } = await insertApiKey(server, owner, ["hosts:read"]);
    const body = { source: host("web-1"), destination: host("web-2"), protocol: "TCP", port: 443 } as const;
    expect(await errorCodesOf(server.client(token)(checkAccess, { body }))).toEqual(["ERR_FORBIDDEN"]);
    const { token: reading } = await insertApiKey(server, owner, ["access:read"]);
    expect(await server.client(reading)(checkAccess, { body })).toMatchObject({ answer: "all" });
    const auditor = await joinAs(server, owner, "auditor");
    expect(await auditor.call(checkAccess, { body })).toMatchObject({ answer: "all" });
  });

  it("if the hosts belong to another organization", async () => {
    const stranger = await server.signUp();
    const networkID = (await stranger.call(createNetwork, { body: { name: "Own" } })).id;
    const own = await stranger.call(createHostV2, { body: { name: "own", networkID } });
    await markEnrolled(server, own.id);
    expect(await errorsOf(check(host("web-1"), { hostID: own.id }, 443, stranger))).toMatchObject([
      { code: "ERR_INVALID_REFERENCE", path: "source.hostID" },
    ]);
    expect(await errorsOf(check({ hostID: own.id }, host("web-1"), 443, stranger))).toMatchObject([
      { code: "ERR_INVALID_REFERENCE", path: "destination.hostID" },
    ]);
    const foreignRole = { networkID, roleID: fleet.roles.web };
    expect(await errorsOf(check(foreignRole, { hostID: own.id }, 443, stranger))).toMatchObject([
      { code: "ERR_INVALID_REFERENCE", path: "source.roleID" },
    ]);
  });
});
