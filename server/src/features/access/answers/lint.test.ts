import {
  type BodyInputOf,
  createRole,
  createRoute,
  createTag,
  getRole,
  lintRules,
  listRuleLints,
  listTags,
  type Role,
  updateRole,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccessFleet, createAccessFleet } from "../../../testing/access-fixture.ts";
import { insertApiKey } from "../../../testing/api-keys.ts";
import { createFleet } from "../../../testing/fleet.ts";
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

type Body = BodyInputOf<typeof lintRules>;
type Rules = Extract<Body, { type: "role" }>["firewallRules"];

const tcp = (from: number, to = from, more: Partial<Rules[number]> = {}): Rules[number] => ({
  protocol: "TCP",
  portRange: { from, to },
  ...more,
});
const lint = async (body: Body, session = owner) => (await session.call(lintRules, { body })).lints;
const lintRole = (...firewallRules: Rules) => lint({ type: "role", firewallRules });
const lintRoute = (localCIDR: string) =>
  lint({ type: "route", subnets: ["192.168.5.0/24"], firewallRules: [{ ...tcp(80), localCIDR }] });

describe("the rules of a draft", () => {
  it("never match if no host has the role and the tags", async () => {
    const { web } = fleet.roles;
    const noHost = { kind: "neverMatches", reason: "noHost", fix: null };
    expect(await lintRole(tcp(22, 22, { allowedRoleID: web, allowedTags: ["team:data"] }))).toEqual([
      { index: 0, ...noHost },
    ]);
    // Saving the rule would create the tag.
    expect(await lintRole(tcp(22), tcp(23, 23, { allowedTags: ["team:unknown"] }))).toEqual([
      { index: 1, ...noHost },
    ]);
    expect(await lintRole(tcp(22, 22, { allowedRoleID: web, allowedTags: ["env:test"] }))).toEqual([]);
  });

  it("never match outside of the route's subnets", async () => {
    expect(await lintRoute("192.168.6.0/24")).toEqual([
      { index: 0, kind: "neverMatches", reason: "outsideSubnets", fix: null },
    ]);
    expect(await lintRoute("192.168.5.7/32")).toEqual([]);
  });

  it("are covered by other rules, and can be removed", async () => {
    const fix = { type: "remove" };
    expect(await lintRole(tcp(1, 30), tcp(10, 50), tcp(31, 100), tcp(35))).toEqual([
      { index: 1, kind: "covered", by: [0, 2], fix },
      { index: 3, kind: "covered", by: [2], fix },
    ]);
  });

  it("are broader than their description, and can be limited to it", async () => {
    const rule = { protocol: "TCP", description: "SSH from laptops", allowedTags: ["team:data"] } as const;
    expect(await lintRole({ ...rule, allowedTags: [...rule.allowedTags] })).toEqual([
      {
        index: 0,
        kind: "broaderThanDescription",
        named: [{ protocol: "TCP", portRange: { from: 22, to: 22 } }],
        fix: {
          type: "replace",
          rule: { ...rule, allowedRoleID: null, portRange: { from: 22, to: 22 } },
        },
      },
    ]);
  });

  it("allow everything by tag, or need an entry for each of many ports", async () => {
    expect(await lintRole({ protocol: "ANY", allowedTags: ["team:data"] })).toEqual([
      { index: 0, kind: "anyWithTags", tags: ["team:data"], fix: null },
    ]);
    expect(await lintRole(tcp(1, 65_535))).toEqual([
      { index: 0, kind: "manyPorts", portCount: 65_535, fix: null },
    ]);
  });

  it("are linted for a saved role or tag, and without saving anything", async () => {
    const params = { roleID: fleet.roles.database };
    const before = await owner.call(getRole, { params });
    const firewallRules = [tcp(22), tcp(22)];
    expect(await lint({ type: "role", id: params.roleID, firewallRules })).toMatchObject([{ index: 1 }]);
    expect(await lint({ type: "tag", id: "team:data", firewallRules })).toMatchObject([{ index: 1 }]);
    expect(await owner.call(getRole, { params })).toEqual(before);
  });
});

describe("a draft is rejected", () => {
  const problemsOf = async (body: unknown) =>
    (await errorsOf(lint(body as Body))).map(({ code, path }) => [code, path]);

  it("if a value is invalid, with its path, and nothing is created", async () => {
    const invalid = { protocol: "TCP", allowedTags: ["team:new"], portRange: { from: 0, to: 22 } };
    expect(await problemsOf({ type: "role", firewallRules: [tcp(22), invalid] })).toEqual([
      ["ERR_INVALID_VALUE", "firewallRules[1].portRange.from"],
    ]);
    expect(await problemsOf({ type: "host", firewallRules: [] })).toEqual([["ERR_INVALID_VALUE", "type"]]);
    expect(
      await problemsOf({
        type: "route",
        subnets: ["192.168.5.0/24", "office"],
        firewallRules: [{ protocol: "ICMP", localCIDR: "192.168.5" }],
      }),
    ).toEqual([
      ["ERR_INVALID_IPV4_CIDR", "subnets[1]"],
      ["ERR_INVALID_IPV4_CIDR", "firewallRules[0].localCIDR"],
    ]);
    const { data: tags } = await owner.call(listTags);
    expect(tags.map(({ name }) => name)).not.toContain("team:new");
  });

  it("if it refers to an unknown role or tag, or to a role of another organization", async () => {
    const stranger = await server.signUp();
    const foreign = await stranger.call(createRole, { body: { name: "Foreign" } });
    const owned = (type: string, id: string) => problemsOf({ type, id, firewallRules: [] });
    expect(await owned("role", foreign.id)).toEqual([["ERR_INVALID_REFERENCE", "id"]]);
    expect(await owned("tag", "team:unknown")).toEqual([["ERR_INVALID_REFERENCE", "id"]]);
    const firewallRules = [tcp(22), tcp(23, 23, { allowedRoleID: foreign.id })];
    expect(await problemsOf({ type: "tag", firewallRules })).toEqual([
      ["ERR_INVALID_REFERENCE", "firewallRules[1].allowedRoleID"],
    ]);
  });

  it("for API keys without the scope, but not for auditors", async () => {
    const body: Body = { type: "role", firewallRules: [tcp(22), tcp(22)] };
    const { token } = await insertApiKey(server, owner, ["roles:read"]);
    expect(await errorCodesOf(server.client(token)(lintRules, { body }))).toEqual(["ERR_FORBIDDEN"]);
    const { token: reading } = await insertApiKey(server, owner, ["access:read"]);
    expect(await server.client(reading)(lintRules, { body })).toMatchObject({ lints: [{ index: 1 }] });
    const auditor = await joinAs(server, owner, "auditor");
    expect(await lint(body, auditor)).toMatchObject([{ index: 1 }]);
  });
});

describe("the saved rules", () => {
  it("of roles, tags and routes are linted, each with its owner", async () => {
    const person = await server.signUp();
    const { hosts, roles } = await createAccessFleet(server, person);
    expect(await person.call(listRuleLints)).toEqual({ lints: [], lintCount: 0, ruleCount: 5 });
    const body = { name: "Database", firewallRules: [tcp(1, 100), tcp(22, 22, { description: "SSH" })] };
    await person.call(updateRole, { params: { roleID: roles.database }, body });
    const everything = { protocol: "ANY" as const, allowedTags: ["team:data"] };
    await person.call(createTag, { body: { name: "env:prod", firewallRules: [everything] } });
    const route = await person.call(createRoute, {
      body: {
        name: "Lab",
        routerHostID: hosts.router,
        routableCIDRs: { "192.168.7.0/24": {} },
        firewallRules: [tcp(80), { ...tcp(80), localCIDR: "192.168.7.0/25" }],
      },
    });
    const { lints, ...counts } = await person.call(listRuleLints);
    expect(counts).toEqual({ lintCount: 3, ruleCount: 8 });
    expect(
      lints.map(({ owner: { type, id, name }, lint: { index, kind } }) => [type, id, name, index, kind]),
    ).toEqual([
      ["role", roles.database, "Database", 1, "covered"],
      ["tag", "env:prod", "env:prod", 0, "anyWithTags"],
      ["route", route.id, "Lab", 1, "covered"],
    ]);
    expect(lints[0]).toEqual({
      owner: { type: "role", id: roles.database, name: "Database" },
      rule: { ...body.firewallRules[1], allowedRoleID: null },
      lint: { index: 1, kind: "covered", by: [0], fix: { type: "remove" } },
    });
  });

  it("never match only if no network has a host for them", async () => {
    const person = await server.signUp();
    const kindsOf = async () => (await person.call(listRuleLints)).lints.map(({ lint: { kind } }) => kind);
    const web = await person.call(createRole, { body: { name: "Web" } });
    const rules: Role["firewallRules"] = [
      { protocol: "ICMP", description: "", portRange: null, allowedRoleID: web.id },
    ];
    await person.call(createRole, { body: { name: "Database", firewallRules: [...rules, ...rules] } });
    // Without a network, nothing is said about hosts.
    expect(await kindsOf()).toEqual(["covered"]);
    await createFleet(server, person, "10.91.0.0/24");
    expect(await kindsOf()).toEqual(["neverMatches", "covered", "neverMatches"]);
    const second = await createFleet(server, person, "10.92.0.0/24");
    await second.add({ name: "web-1", roleID: web.id });
    expect(await kindsOf()).toEqual(["covered"]);
  });

  it("are visible to auditors and to keys with the scope, and only to their organization", async () => {
    const auditor = await joinAs(server, owner, "auditor");
    expect(await auditor.call(listRuleLints)).toMatchObject({ ruleCount: 5 });
    const { token } = await insertApiKey(server, owner, ["roles:list"]);
    expect(await errorCodesOf(server.client(token)(listRuleLints))).toEqual(["ERR_FORBIDDEN"]);
    const stranger = await server.signUp();
    expect(await stranger.call(listRuleLints)).toMatchObject({ lints: [], lintCount: 0 });
  });
});
