import {
  createHostV2,
  createNetwork,
  createRole,
  createRoute,
  createTag,
  deleteHost,
  deleteTag,
  getTag,
  listAuditLogs,
  listRoles,
  listTags,
  NotFoundError,
  type RequestError,
  updateRole,
  updateTag,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

const ssh = { protocol: "TCP", portRange: { from: 22, to: 22 } } as const;

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
});
afterAll(() => server.close());

let objectCount = 0;
const createTestTag = (body: object = {}) =>
  owner.call(createTag, { body: { name: `made:${++objectCount}`, ...body } });
const createTestRoute = () => owner.call(createRoute, { body: { name: `Route ${++objectCount}` } });
const logOf = async (name: string) =>
  (await owner.call(listAuditLogs, { query: { "filter.targetID": name } })).data;

describe("a tag", () => {
  it("is created with all fields, and returned as created", async () => {
    const role = await owner.call(createRole, { body: { name: "Ops" } });
    const routes = [await createTestRoute(), await createTestRoute()].map(({ id }) => id).sort();
    const [first = "", second = ""] = routes;
    const configOverrides = [
      { key: "tun.mtu", value: 1400 },
      { key: "preferred_ranges", value: ["10.0.0.0/8"] },
    ];
    const tag = await createTestTag({
      name: "env:prod",
      description: " Production ",
      configOverrides,
      routeSubscriptions: [second, first, second],
      firewallRules: [{ ...ssh, allowedRoleID: role.id, allowedTags: ["env:prod"], description: "Ops" }],
    });
    expect(tag).toEqual({
      name: "env:prod",
      description: "Production",
      priority: 1,
      configOverrides,
      routeSubscriptions: routes,
      firewallRules: [{ ...ssh, allowedRoleID: role.id, allowedTags: ["env:prod"], description: "Ops" }],
      firewallRulesCount: 1,
      hostCount: 0,
    });
    expect(await owner.call(getTag, { params: { tag: "env:prod" } })).toEqual(tag);
    const [log, ...others] = await logOf("env:prod");
    expect(others).toEqual([]);
    expect(log).toMatchObject({
      target: { type: "tag", id: "env:prod" },
      event: { type: "CREATED", before: null, after: { routeSubscriptions: routes, configOverrides } },
    });
  });

  it("keeps its priority and its rules if they are omitted, and other omitted fields are reset", async () => {
    const route = await createTestRoute();
    const tag = await createTestTag({
      description: "Old",
      configOverrides: [{ key: "routines", value: 2 }],
      routeSubscriptions: [route.id],
      firewallRules: [ssh],
    });
    const params = { tag: tag.name };
    const bare = { ...tag, description: "", configOverrides: [], routeSubscriptions: [] };
    expect(await owner.call(updateTag, { params, body: {} })).toEqual(bare);
    expect(await owner.call(updateTag, { params, body: { firewallRules: null } })).toEqual(bare);
    expect(await owner.call(updateTag, { params, body: tag })).toEqual(tag);
    expect(await owner.call(updateTag, { params, body: { ...tag, firewallRules: [] } })).toEqual({
      ...tag,
      firewallRules: [],
      firewallRulesCount: 0,
    });
    const [log] = await logOf(tag.name);
    expect(log?.event).toMatchObject({
      type: "UPDATED",
      before: { firewallRules: [{ protocol: "TCP" }], routeSubscriptions: [route.id] },
      after: { firewallRules: [], priority: tag.priority },
    });
  });

  it("counts the hosts that have it", async () => {
    const network = await owner.call(createNetwork, { body: { name: "Counted" } });
    const tag = await createTestTag();
    const params = { tag: tag.name };
    const hosts = [];
    for (const name of ["One", "Two"])
      hosts.push(
        await owner.call(createHostV2, { body: { name, networkID: network.id, tags: [tag.name, "x:y"] } }),
      );
    expect((await owner.call(getTag, { params })).hostCount).toBe(2);
    expect((await owner.call(updateTag, { params, body: {} })).hostCount).toBe(2);
    const { data } = await owner.call(listTags, { query: { "filter.search": tag.name } });
    expect(data.map(({ hostCount }) => hostCount)).toEqual([2]);
    await owner.call(deleteHost, { params: { hostID: hosts[0]!.id } });
    expect((await owner.call(getTag, { params })).hostCount).toBe(1);
  });

  it("reports every invalid field with its path", async () => {
    const body = {
      name: "no colon",
      description: "x".repeat(256),
      configOverrides: [{ value: 1 }, { key: "routines" }],
      routeSubscriptions: "all",
      firewallRules: [{ protocol: "SCTP" }],
      colour: "red",
    };
    const rejected = await errorsOf(owner.call(createTag, { body: body as never }));
    expect(rejected.map(({ code, path }) => [path, code]).sort()).toEqual([
      ["colour", "ERR_INVALID_VALUE"],
      ["configOverrides[0].key", "ERR_INVALID_VALUE"],
      ["configOverrides[1].value", "ERR_INVALID_VALUE"],
      ["description", "ERR_INVALID_VALUE_LENGTH"],
      ["firewallRules[0].protocol", "ERR_INVALID_VALUE"],
      ["name", "ERR_INVALID_VALUE"],
      ["routeSubscriptions", "ERR_INVALID_VALUE"],
    ]);
    for (const name of [
      "",
      ":",
      "a:",
      ":b",
      "a:b:c",
      " a:b",
      "a: b",
      `${"k".repeat(21)}:v`,
      `k:${"v".repeat(51)}`,
    ])
      expect(await errorsOf(createTestTag({ name }))).toMatchObject([
        { code: "ERR_INVALID_VALUE", path: "name" },
      ]);
  });

  it("accepts only overrides that Nebula supports, each once", async () => {
    const configOverrides = [
      { key: "tun.mtu", value: 1300 },
      { key: "pki.key", value: "mine" },
      { key: "logging.level", value: "loud" },
      { key: "tun.mtu", value: 1400 },
      { key: "routines", value: null },
    ];
    const errors = [
      {
        code: "ERR_INVALID_VALUE",
        path: "configOverrides[1].key",
        message: "This setting can't be overridden.",
      },
      {
        code: "ERR_INVALID_VALUE",
        path: "configOverrides[2].value",
        message: "Must be one of panic, fatal, error, warning, info, debug.",
      },
      { code: "ERR_INVALID_VALUE", path: "configOverrides[3].key", message: "must be unique" },
      {
        code: "ERR_INVALID_VALUE",
        path: "configOverrides[4].value",
        message: "Must be a whole number between 1 and 64.",
      },
    ];
    expect(await errorsOf(createTestTag({ configOverrides }))).toEqual(errors);
    const tag = await createTestTag();
    const body = { configOverrides } as never;
    expect(await errorsOf(owner.call(updateTag, { params: { tag: tag.name }, body }))).toEqual(errors);
  });

  it("can refer only to roles and routes of its own organization", async () => {
    const stranger = await server.signUp();
    const [theirRole] = (await stranger.call(listRoles)).data;
    const theirRoute = await stranger.call(createRoute, { body: { name: "Theirs" } });
    const mine = await createTestRoute();
    const tag = await createTestTag();
    const attempts = [
      (body: object) => createTestTag(body),
      (body: object) => owner.call(updateTag, { params: { tag: tag.name }, body }),
    ];
    for (const attempt of attempts) {
      const routeSubscriptions = [theirRoute.id, mine.id, "route-none", theirRoute.id];
      expect(await errorsOf(attempt({ routeSubscriptions }))).toMatchObject([
        { code: "ERR_INVALID_REFERENCE", path: "routeSubscriptions[0]" },
        { code: "ERR_INVALID_REFERENCE", path: "routeSubscriptions[2]" },
        { code: "ERR_INVALID_REFERENCE", path: "routeSubscriptions[3]" },
      ]);
      const firewallRules = [ssh, { ...ssh, allowedRoleID: theirRole?.id }];
      expect(await errorsOf(attempt({ firewallRules }))).toMatchObject([
        { code: "ERR_INVALID_REFERENCE", path: "firewallRules[1].allowedRoleID" },
      ]);
    }
    expect(await owner.call(getTag, { params: { tag: tag.name } })).toEqual(tag);
  });

  it("has a unique, case-sensitive name, also with twenty concurrent requests", async () => {
    const firewallRules = [{ ...ssh, allowedTags: ["new:one"] }];
    const attempts = Array.from({ length: 20 }, () =>
      createTestTag({ name: "the:same", firewallRules }).then(
        () => "done",
        (error: RequestError) => error.errors[0]?.code,
      ),
    );
    const rejected = Array.from({ length: 19 }, () => "ERR_DUPLICATE_VALUE");
    expect((await Promise.all(attempts)).sort()).toEqual([...rejected, "done"]);
    expect(await errorsOf(createTestTag({ name: "the:same" }))).toMatchObject([
      { code: "ERR_DUPLICATE_VALUE", path: "name" },
    ]);
    expect((await createTestTag({ name: "THE:same" })).name).toBe("THE:same");
    expect((await logOf("the:same")).map(({ event }) => event.type)).toEqual(["CREATED"]);
  });

  it.each(["a/b:c d", "100%:%2F", "ключ:значение", "..:..", "a?b#c:&d=e"])(
    "is found by its name in the path, also with special characters: %s",
    async (name) => {
      const tag = await createTestTag({ name });
      const params = { tag: name };
      expect(await owner.call(getTag, { params })).toEqual(tag);
      expect((await owner.call(updateTag, { params, body: { description: "New" } })).name).toBe(name);
      expect(await owner.call(deleteTag, { params })).toEqual({});
      await expect(owner.call(getTag, { params })).rejects.toBeInstanceOf(NotFoundError);
    },
  );

  it("can't be deleted while a host has it", async () => {
    const network = await owner.call(createNetwork, { body: { name: "Tagged" } });
    const tag = await createTestTag();
    const params = { tag: tag.name };
    const host = await owner.call(createHostV2, {
      body: { name: "Tagged", networkID: network.id, tags: [tag.name] },
    });
    expect(await errorCodesOf(owner.call(deleteTag, { params }))).toEqual(["ERR_HAS_DEPENDENTS"]);
    await owner.call(deleteHost, { params: { hostID: host.id } });
    expect(await owner.call(deleteTag, { params })).toEqual({});
    const [log] = await logOf(tag.name);
    expect(log?.event).toMatchObject({ type: "DELETED", before: { priority: tag.priority }, after: null });
  });

  it("can't be deleted while a rule of a role or another tag refers to it", async () => {
    const tag = await createTestTag();
    const params = { tag: tag.name };
    const firewallRules = [ssh, { ...ssh, allowedTags: ["other:one", tag.name] }];
    // A tag whose own rules refer to it can be deleted.
    await owner.call(updateTag, { params, body: { firewallRules } });
    const role = await owner.call(createRole, { body: { name: "Naming", firewallRules } });
    expect(await errorCodesOf(owner.call(deleteTag, { params }))).toEqual(["ERR_HAS_DEPENDENTS"]);
    await owner.call(updateRole, { params: { roleID: role.id }, body: {} });
    const referring = await createTestTag({ firewallRules });
    expect(await errorCodesOf(owner.call(deleteTag, { params }))).toEqual(["ERR_HAS_DEPENDENTS"]);
    await owner.call(deleteTag, { params: { tag: referring.name } });
    expect(await owner.call(deleteTag, { params })).toEqual({});
    expect(await errorCodesOf(owner.call(deleteTag, { params }))).toEqual(["ERR_NOT_FOUND"]);
  });

  it("is not found by another organization, which can have a tag with the same name", async () => {
    const tag = await createTestTag({ name: "shared:name" });
    const stranger = await server.signUp();
    const params = { tag: tag.name };
    await expect(stranger.call(getTag, { params })).rejects.toBeInstanceOf(NotFoundError);
    await expect(stranger.call(updateTag, { params, body: {} })).rejects.toBeInstanceOf(NotFoundError);
    await expect(stranger.call(deleteTag, { params })).rejects.toBeInstanceOf(NotFoundError);
    await stranger.call(createRole, {
      body: { name: "Naming", firewallRules: [{ ...ssh, allowedTags: [tag.name] }] },
    });
    expect(await owner.call(getTag, { params })).toEqual(tag);
    expect(await owner.call(deleteTag, { params })).toEqual({});
    expect((await stranger.call(getTag, { params })).priority).toBe(1);
  });
});
