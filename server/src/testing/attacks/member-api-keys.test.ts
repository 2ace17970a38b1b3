import {
  API_KEYS_MAX,
  createApiKey,
  deleteApiKey,
  getApiKey,
  leaveOrganization,
  listApiKeys,
  listAuditLogs,
  listMembers,
  listNetworks,
  removeMember,
  rotateApiKey,
  updateApiKey,
  updateMember,
  whoami,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { joinAs } from "../members.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../request-errors.ts";
import { insertSsoUser } from "../sso-users.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";
import { changeWhileWaiting } from "../waiting-requests.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  owner = await server.signUp();
});
afterAll(() => server.close());

type Call = Session["call"];

const createKey = (call: Call, name = "Terraform") =>
  call(createApiKey, { body: { name, scopes: ["networks:list"] } });
const works = async (token: string) => (await outcomeOf(server.client(token)(listNetworks))) === "done";
const deletedKeys = async () => {
  const query = { "filter.targetType": "apiKey", "filter.action": "DELETED" } as const;
  return (await owner.call(listAuditLogs, { query })).data;
};

describe("an API key", () => {
  it("shows its creator everywhere, even after another member changes it", async () => {
    const person = await joinAs(server, owner, "administrator");
    const { token: _, ...key } = await createKey(person.call);
    const createdBy = { id: person.userID, email: person.email };
    expect(key.createdBy).toEqual(createdBy);
    const params = { apiKeyID: key.id };
    const body = { name: "Renamed", scopes: ["networks:read" as const] };
    expect(await owner.call(updateApiKey, { params, body })).toMatchObject({ createdBy });
    const rotated = await owner.call(rotateApiKey, { params, body: { overlapSeconds: 0 } });
    expect(rotated.createdBy).toEqual(createdBy);
    expect(await owner.call(getApiKey, { params })).toMatchObject({ createdBy });
    // A creator sent by the client is ignored.
    const forged = { ...body, createdBy: { id: owner.userID, email: owner.email } };
    await owner.call(updateApiKey, { params, body: forged });
    expect((await owner.call(listApiKeys)).data).toMatchObject([{ id: key.id, createdBy }]);
  });

  it("shows a creator who used single sign-on, and no creator if none was recorded", async () => {
    const call = server.client(await insertSsoUser(server, owner));
    const { actor } = await call(whoami);
    const { id } = await createKey(call);
    expect(await owner.call(getApiKey, { params: { apiKeyID: id } })).toMatchObject({
      createdBy: { id: actor.id, email: "somebody@example.com" },
    });
    await server.query("update api_keys set created_by_id = null, created_by_email = null");
    expect((await owner.call(listApiKeys)).data).toMatchObject([{ id, createdBy: null }]);
  });
});

describe("removing a member", () => {
  it("with their API keys revokes exactly those, with an audit entry for each", async () => {
    const person = await joinAs(server, owner, "administrator");
    const [first, second] = [await createKey(person.call, "First"), await createKey(person.call, "Second")];
    const others = await createKey(owner.call, "Other");
    const params = { memberID: person.userID };
    expect(await owner.call(removeMember, { params, query: { revokeAPIKeys: true } })).toEqual({});
    expect(await Promise.all([first, second, others].map(({ token }) => works(token)))).toEqual([
      false,
      false,
      true,
    ]);
    expect((await owner.call(listApiKeys)).data.map(({ id }) => id)).toEqual([others.id]);
    const entries = await deletedKeys();
    expect(entries.map(({ target }) => target.id).sort()).toEqual([first.id, second.id].sort());
    for (const { actor, event } of entries) {
      expect(actor).toMatchObject({ type: "user", id: owner.userID });
      expect(event.before).toMatchObject({ scopes: ["networks:list"] });
    }
  });

  it("without their API keys keeps the keys working, with their creator", async () => {
    const person = await joinAs(server, owner, "administrator");
    const { id, token } = await createKey(person.call);
    await owner.call(removeMember, { params: { memberID: person.userID } });
    expect(await works(token)).toBe(true);
    expect(await owner.call(getApiKey, { params: { apiKeyID: id } })).toMatchObject({
      createdBy: { id: person.userID, email: person.email },
    });
    expect(await deletedKeys()).toEqual([]);
  });

  it("revokes the API keys of a single sign-on user", async () => {
    const call = server.client(await insertSsoUser(server, owner));
    const { actor } = await call(whoami);
    const { token } = await createKey(call);
    const params = { memberID: actor.id };
    await owner.call(removeMember, { params, query: { revokeAPIKeys: true } });
    expect(await works(token)).toBe(false);
  });

  it("revokes nothing when it is rejected", async () => {
    const { token } = await createKey(owner.call);
    const removal = { params: { memberID: owner.userID }, query: { revokeAPIKeys: true } };
    expect(await errorCodesOf(owner.call(removeMember, removal))).toEqual(["ERR_INVALID_VALUE"]);
    const outsider = await server.signUp();
    expect(await errorCodesOf(outsider.call(removeMember, removal))).toEqual(["ERR_NOT_FOUND"]);
    expect(await works(token)).toBe(true);
  });

  it("revokes no API key of another organization", async () => {
    const person = await joinAs(server, owner, "administrator");
    const outsider = await server.signUp();
    const { id, token } = await createKey(outsider.call);
    await server.query("update api_keys set created_by_id = $1 where id = $2", [person.userID, id]);
    const params = { memberID: person.userID };
    await owner.call(removeMember, { params, query: { revokeAPIKeys: true } });
    expect(await works(token)).toBe(true);
  });

  it("accepts only true or false for revokeAPIKeys", async () => {
    const params = { memberID: owner.userID };
    const query = { revokeAPIKeys: "maybe" } as never;
    expect(await errorsOf(owner.call(removeMember, { params, query }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "revokeAPIKeys" },
    ]);
  });

  it("rejects an API key that the member is creating at the same time", async () => {
    const person = await joinAs(server, owner, "administrator");
    const outcome = await changeWhileWaiting(server, owner.organizationID, {
      request: () => outcomeOf(createKey(person.call)),
      change: `delete from users where id = '${person.userID}'`,
    });
    expect(outcome).toBe("ERR_UNAUTHORIZED");
    expect((await owner.call(listApiKeys)).data).toEqual([]);
  });

  it("or making them an auditor rejects an API key that they are creating at the same time", async () => {
    const person = await joinAs(server, owner, "administrator");
    const outcome = await changeWhileWaiting(server, owner.organizationID, {
      request: () => outcomeOf(createKey(person.call)),
      change: `update users set role = 'auditor' where id = '${person.userID}'`,
    });
    expect(outcome).toBe("ERR_FORBIDDEN");
    expect((await owner.call(listApiKeys)).data).toEqual([]);
  });
});

describe("leaving an organization", () => {
  it("revokes the member's own API keys on request, with the member as the actor", async () => {
    const person = await joinAs(server, owner, "administrator");
    const [own, others] = [await createKey(person.call), await createKey(owner.call)];
    await person.call(leaveOrganization, { query: { revokeAPIKeys: true } });
    expect([await works(own.token), await works(others.token)]).toEqual([false, true]);
    expect(await deletedKeys()).toMatchObject([
      { actor: { type: "user", id: person.userID, email: person.email }, target: { id: own.id } },
    ]);
  });

  it("keeps the API keys otherwise, and auditors can't revoke theirs", async () => {
    const person = await joinAs(server, owner, "administrator");
    const { token } = await createKey(person.call);
    await owner.call(updateMember, { params: { memberID: person.userID }, body: { role: "auditor" } });
    expect(await errorCodesOf(person.call(leaveOrganization, { query: { revokeAPIKeys: true } }))).toEqual([
      "ERR_FORBIDDEN",
    ]);
    expect((await owner.call(listMembers)).data.map(({ id }) => id)).toContain(person.userID);
    await person.call(leaveOrganization);
    expect(await works(token)).toBe(true);
  });
});

describe("the limit for API keys", () => {
  const fillUpTo = (count: number) =>
    server.query(
      `insert into api_keys (id, organization_id, name, scopes, token_hash, created_at)
        select 'lkkey-' || lpad(translate(n::text, '0123456789', 'ABCDEFGHIJ'), 26, 'Z'), $1, 'Key ' || n,
          '{networks:list}', sha256(($1 || n)::bytea), now()
        from generate_series(1, $2::int) n`,
      [owner.organizationID, count],
    );
  const rejected = [
    { code: "ERR_LIMIT_EXCEEDED", message: "limit exceeded", extra: { limit: API_KEYS_MAX } },
  ];

  it("applies to keys created in parallel, and counts per organization", async () => {
    await fillUpTo(API_KEYS_MAX - 2);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => outcomeOf(createKey(owner.call))));
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(2);
    expect(outcomes.filter((outcome) => outcome === "ERR_LIMIT_EXCEEDED")).toHaveLength(6);
    const { data, metadata } = await owner.call(listApiKeys, {
      query: { pageSize: 500, includeCounts: true },
    });
    expect([data.length, metadata.totalCount, metadata.hasNextPage]).toEqual([500, 500, false]);
    expect(await errorsOf(createKey(owner.call))).toEqual(rejected);
    const other = await server.signUp();
    await createKey(other.call);
    await owner.call(deleteApiKey, { params: { apiKeyID: data[0]?.id ?? "" } });
    await createKey(owner.call);
    await server.query("delete from api_keys where organization_id = $1", [owner.organizationID]);
  });
});
