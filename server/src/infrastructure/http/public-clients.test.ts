/** Compatibility with clients of the public API: their requests, and the responses that they expect. */
import { enrollHost } from "@lightkeeper/contract";
import { openApiDocument } from "@lightkeeper/contract/openapi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer({ agentPollMs: 50 });
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
  await fleet.add();
});
afterAll(() => server.close());

interface Reply {
  status: number;
  data: Record<string, unknown>;
  errors: { code: string; path?: string }[];
  metadata: Record<string, unknown>;
}

async function send(method: string, path: string, body?: object): Promise<Reply> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${owner.userToken} ${owner.authToken}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...((await response.json()) as Omit<Reply, "status">) };
}
const list = async (path: string) => {
  const { status, data, metadata } = await send("GET", path);
  return { status, count: (data as unknown as unknown[]).length, metadata };
};
let nameCount = 0;
const name = () => `Thing ${++nameCount}`;

describe("null for an optional field", () => {
  it("means that a list or a string is absent", async () => {
    const host = await send("POST", "/v2/hosts", {
      name: name(),
      networkID: fleet.networkID,
      tags: null,
      configOverrides: null,
      staticAddresses: null,
    });
    expect(host).toMatchObject({
      status: 200,
      data: { tags: [], configOverrides: [], staticAddresses: [] },
    });
    const rule = { protocol: "ANY", description: null, allowedTags: null };
    const role = await send("POST", "/v1/roles", {
      name: name(),
      description: null,
      firewallRules: [rule],
    });
    expect(role).toMatchObject({
      status: 200,
      data: { description: "", firewallRules: [{ description: "" }] },
    });
    const tag = await send("POST", "/v1/tags", {
      name: `null:${++nameCount}`,
      description: null,
      configOverrides: null,
      routeSubscriptions: null,
    });
    expect(tag).toMatchObject({ status: 200, data: { description: "", routeSubscriptions: [] } });
  });

  it("keeps the current value where an absent field does", async () => {
    const { data } = await send("POST", "/v2/hosts", {
      name: name(),
      networkID: fleet.networkID,
      tags: ["kept:yes"],
    });
    const changed = await send("PUT", `/v3/hosts/${String(data.id)}`, { name: name(), tags: null });
    expect(changed).toMatchObject({ status: 200, data: { tags: ["kept:yes"] } });
  });

  it.each([
    ["/v2/hosts", { name: null, networkID: null }, ["name", "networkID"]],
    ["/v1/roles", { name: "A", firewallRules: [null] }, ["firewallRules[0]"]],
    ["/v1/roles", { name: "A", firewallRules: [{ protocol: null }] }, ["firewallRules[0].protocol"]],
    ["/v1/tags", { name: "a:1", routeSubscriptions: [null] }, ["routeSubscriptions[0]"]],
    ["/v1/routes", { name: "A", routableCIDRs: { "10.0.0.0/8": null } }, ["routableCIDRs.10.0.0.0/8"]],
  ])("is rejected where a value is required: %s %j", async (path, body, paths) => {
    const { status, errors } = await send("POST", path, body);
    expect(status).toBe(400);
    expect(errors.map((entry) => entry.path)).toEqual(paths);
  });
});

describe("a query", () => {
  it.each(["true", "True", "TRUE"])("accepts %s as true", async (value) => {
    expect(await list(`/v2/hosts?filter.isBlocked=${value}`)).toMatchObject({ status: 200, count: 0 });
    const { metadata } = await list(`/v2/hosts?includeCounts=${value}`);
    expect(metadata.totalCount).toBeGreaterThan(0);
  });

  it("accepts False as false, and no other spelling", async () => {
    expect((await list("/v2/hosts?filter.isBlocked=False")).count).toBeGreaterThan(0);
    expect(await send("GET", "/v2/hosts?filter.isBlocked=yes")).toMatchObject({
      status: 400,
      errors: [{ path: "filter.isBlocked" }],
    });
  });

  const lists = Object.entries(openApiDocument().paths).filter(
    ([path, { get }]) =>
      get !== undefined &&
      !path.includes("{") &&
      (get.parameters as { name: string }[]).some((parameter) => parameter.name === "cursor"),
  );

  it.each(lists.map(([path]) => path))("can request the count: %s", async (path) => {
    const { status, count, metadata } = await list(`${path}?includeCounts=true`);
    expect(status).toBe(200);
    expect(metadata.totalCount).toBeGreaterThanOrEqual(count);
  });
});

describe("a response", () => {
  const rules = [
    { protocol: "TCP", portRange: { from: 22, to: 22 } },
    { protocol: "UDP", allowedTags: [] },
    { protocol: "ANY", allowedTags: ["env:prod"] },
  ];
  const sentTags = rules.map((rule) => rule.allowedTags);
  const tagsOf = ({ data }: Reply) =>
    (data.firewallRules as { allowedTags?: string[] }[]).map(({ allowedTags }) => allowedTags);

  it("has the rules of a role, tag or route exactly as they were sent", async () => {
    const role = await send("POST", "/v1/roles", { name: name(), firewallRules: rules });
    expect(tagsOf(role)).toEqual(sentTags);
    expect(tagsOf(await send("GET", `/v1/roles/${String(role.data.id)}`))).toEqual(sentTags);
    const tag = await send("POST", "/v1/tags", { name: `rules:${++nameCount}`, firewallRules: rules });
    expect(tagsOf(tag)).toEqual(sentTags);
    const route = await send("POST", "/v1/routes", { name: name(), firewallRules: rules });
    expect(tagsOf(route)).toEqual(sentTags);
  });

  it("has no routerHostID if a route has no router", async () => {
    const { data } = await send("POST", "/v1/routes", { name: name(), routableCIDRs: { "10.9.0.0/16": {} } });
    expect(data.routableCIDRs).toEqual({ "10.9.0.0/16": { install: true } });
    expect(data).not.toHaveProperty("routerHostID");
  });

  it("has no version if there is no build", async () => {
    const { data } = await send("GET", "/v1/downloads");
    const { latest } = data.versionInfo as { latest: object };
    expect(Object.values(latest)).not.toContain(null);
    expect(latest).not.toHaveProperty("mobile");
  });

  it.each(["/v1/roles", "/v1/routes"])(
    "has ERR_INVALID_VALUE_LENGTH for a missing name: %s",
    async (path) => {
      expect(await send("POST", path, {})).toMatchObject({
        status: 400,
        errors: [{ code: "ERR_INVALID_VALUE_LENGTH", path: "name" }],
      });
    },
  );
});

describe("a host", () => {
  it("is online as soon as it has enrolled", async () => {
    const host = await fleet.add();
    await TestAgent.enrollHost(server.url, owner, host.id);
    const { data } = await send("GET", `/v2/hosts/${host.id}`);
    const { lastSeenAt, statuses } = data.metadata as { lastSeenAt: string | null; statuses: string[] };
    expect(lastSeenAt).not.toBeNull();
    expect(statuses).toContain("online");
    expect(statuses).not.toContain("neverEnrolled");
  });

  it.each([{}, { supportedActions: null }])("can poll without its supported actions: %j", async (value) => {
    const agent = await TestAgent.enrollHost(server.url, owner, (await fleet.add()).id);
    const { status } = await agent.send("LongPollWait", value);
    expect(status).toBe(200);
  });
});

describe("the OpenAPI document", () => {
  const { paths } = openApiDocument();
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

  it("marks operations that the public API does not have", () => {
    const isOurs = (path: string, method: string) => paths[path]?.[method]?.["x-lightkeeper"] === true;
    for (const path of ["/v2/hosts", "/v1/roles", "/v2/tags", "/v1/audit-logs", "/v1/downloads"])
      expect([path, isOurs(path, "get")]).toEqual([path, false]);
    expect(isOurs(enrollHost.path, "post")).toBe(false);
    expect(isOurs("/v1/hosts/bulk", "post")).toBe(true);
    expect(isOurs("/v1/import", "post")).toBe(true);
    expect(isOurs("/v1/members", "get")).toBe(true);
  });

  it("marks fields and parameters that the public API does not have", () => {
    const listing = paths["/v2/hosts"]!.get!;
    const marked = (listing.parameters as { name: string; "x-lightkeeper"?: boolean }[])
      .filter((parameter) => parameter["x-lightkeeper"])
      .map((parameter) => parameter.name);
    expect(marked.toSorted()).toEqual(["filter.search", "filter.status", "sort"]);
    const deletion = paths["/v1/tags/{tag}"]!.delete!;
    expect(deletion["x-lightkeeper"]).toBeUndefined();
    expect(deletion.parameters).toContainEqual(
      expect.objectContaining({
        name: "detach",
        in: "query",
        required: false,
        "x-lightkeeper": true,
        description: expect.stringContaining("in the same transaction"),
        schema: { default: false, type: "boolean" },
      }),
    );
    expect(deletion.description).toContain("With `detach=true`, an API key also needs `hosts:update` and");
    const text = JSON.stringify(listing.responses);
    expect(text).toContain('"x-lightkeeper":true');
  });

  it("documents 400 for every operation with a body, a query or a path parameter", () => {
    const without = operations
      .filter(
        ({ operation }) => operation.requestBody !== undefined || (operation.parameters as []).length > 0,
      )
      .filter(({ operation }) => !("400" in (operation.responses as object)))
      .map(({ path, method }) => `${method} ${path}`);
    expect(without).toEqual([]);
  });
});
