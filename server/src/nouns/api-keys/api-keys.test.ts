import {
  createApiKey,
  createNetwork,
  deleteApiKey,
  getApiKey,
  listApiKeys,
  listAuditLogs,
  listNetworks,
  NotFoundError,
  updateApiKey,
  whoami,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestErrorOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  renew,
  type Session,
  startTestServer,
  type TestServer,
} from "../../testing/server.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
});
beforeAll(async () => {
  owner = await server.signUp();
});
afterAll(() => server.close());

const make = (body: object = {}) =>
  owner.call(createApiKey, {
    body: { name: "Terraform", scopes: ["networks:list", "networks:create"], ...body },
  });
const inDays = (days: number) => new Date(server.ctx.clock().getTime() + days * DAY_MS).toISOString();

describe("creating a key", () => {
  it("returns its token once, and stores only its hash", async () => {
    const { token, ...key } = await make();
    expect(token).toMatch(/^lkkey-[A-Z2-7]{26}-[A-Z2-7]{52}$/);
    expect(token.startsWith(`${key.id}-`)).toBe(true);
    expect(key).toMatchObject({ name: "Terraform", lastUsedAt: null, expiresAt: null });
    expect(await owner.call(getApiKey, { params: { apiKeyID: key.id } })).toEqual(key);
    expect((await owner.call(listApiKeys)).data).toContainEqual(key);
    const dump = JSON.stringify(
      await server.query("select *, encode(token_hash, 'escape') as h from api_keys"),
    );
    expect(dump).not.toContain(token.slice(-52));
    const logs = await owner.call(listAuditLogs, { query: { "filter.targetType": "apiKey" } });
    expect(logs.data[0]).toMatchObject({ event: { type: "CREATED", after: { name: "Terraform" } } });
    expect(JSON.stringify(logs)).not.toContain(token.slice(-52));
  });

  it("rejects invalid input with its path", async () => {
    const rejected = await errorsOf(
      make({ name: "", scopes: ["networks:list", "everything"], expiresAt: "soon" }),
    );
    expect(rejected.map(({ path }) => path).sort()).toEqual(["expiresAt", "name", "scopes[1]"]);
    expect(await errorsOf(make({ scopes: [] }))).toMatchObject([{ path: "scopes" }]);
    expect(await errorsOf(make({ expiresAt: inDays(-1) }))).toMatchObject([{ path: "expiresAt" }]);
  });

  it("requires the second factor again after an hour", async () => {
    const person = await server.signUp();
    server.advance(HOUR_MS + MINUTE_MS);
    const body = { name: "Late", scopes: ["networks:list" as const] };
    expect(await errorCodesOf(person.call(createApiKey, { body }))).toEqual(["ERR_2FA_RENEWAL_REQUIRED"]);
    const fresh = await renew(server, person);
    expect(await fresh.call(createApiKey, { body })).toMatchObject({ name: "Late" });
    owner = await renew(server, owner);
  });
});

describe("using a key", () => {
  it("is limited to its scopes and its organization, and is named in the audit log", async () => {
    const { token, id } = await make();
    const tool = server.client(token);
    expect(await tool(whoami)).toMatchObject({
      actorType: "apiKey",
      actor: { id, name: "Terraform", type: "apiKey" },
    });
    const network = await tool(createNetwork, { body: { name: "By a tool" } });
    expect((await tool(listNetworks)).data).toContainEqual(network);
    const logs = await owner.call(listAuditLogs, { query: { "filter.targetID": network.id } });
    expect(logs.data.find(({ event }) => event.type === "CREATED")?.actor).toEqual({
      type: "apiKey",
      id,
      name: "Terraform",
    });
    const { lastUsedAt } = await owner.call(getApiKey, { params: { apiKeyID: id } });
    expect(lastUsedAt).not.toBeNull();
  });

  it("is rejected with the name of a missing scope", async () => {
    const { token } = await make({ scopes: ["networks:list"] });
    const rejected = await requestErrorOf(
      server.client(token)(createNetwork, { body: { name: "Not allowed" } }),
    );
    expect(rejected.response.status).toBe(403);
    expect(rejected.errors[0]?.message).toContain("networks:create");
  });

  it("stops when it expires or is deleted, and changes take effect immediately", async () => {
    const { token, id } = await make({ expiresAt: inDays(1) });
    const tool = server.client(token);
    const params = { apiKeyID: id };
    await tool(listNetworks);
    const changed = await owner.call(updateApiKey, {
      params,
      body: { name: "Renamed", scopes: ["networks:create"] },
    });
    expect(changed).toMatchObject({ name: "Renamed", scopes: ["networks:create"], expiresAt: null });
    expect(await errorCodesOf(tool(listNetworks))).toEqual(["ERR_FORBIDDEN"]);
    await owner.call(updateApiKey, {
      params,
      body: { name: "Short", scopes: ["networks:list"], expiresAt: inDays(0.01) },
    });
    await tool(listNetworks);
    server.advance(HOUR_MS);
    expect(await errorCodesOf(tool(listNetworks))).toEqual(["ERR_UNAUTHORIZED"]);
    owner = await renew(server, owner);
    expect(await owner.call(deleteApiKey, { params })).toEqual({});
    await expect(owner.call(getApiKey, { params })).rejects.toBeInstanceOf(NotFoundError);
  });

  it("is not found by another organization", async () => {
    const { id } = await make();
    const stranger = await server.signUp();
    const params = { apiKeyID: id };
    await expect(stranger.call(getApiKey, { params })).rejects.toBeInstanceOf(NotFoundError);
    await expect(
      stranger.call(updateApiKey, { params, body: { name: "Mine", scopes: ["networks:list"] } }),
    ).rejects.toBeInstanceOf(NotFoundError);
    await expect(stranger.call(deleteApiKey, { params })).rejects.toBeInstanceOf(NotFoundError);
    expect((await stranger.call(listApiKeys)).data).toEqual([]);
  });
});
