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
  it("shows who created it, everywhere and whoever changes it later", async () => {
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
    // What a client sends back about the creator is ignored.
    const forged = { ...body, createdBy: { id: owner.userID, email: owner.email } };
    await owner.call(updateApiKey, { params, body: forged });
    expect((await owner.call(listApiKeys)).data).toMatchObject([{ id: key.id, createdBy }]);
  });

  it("shows a creator who came by single sign-on, and none where it was not recorded", async () => {
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
  it("with their API keys revokes exactly those, with an entry for each", async () => {
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

  it("without their API keys leaves the keys working and shows who created them", async () => {
    const person = await joinAs(server, owner, "administrator");
    const { id, token } = await createKey(person.call);
    await owner.call(removeMember, { params: { memberID: person.userID } });
    expect(await works(token)).toBe(true);
    expect(await owner.call(getApiKey, { params: { apiKeyID: id } })).toMatchObject({
      createdBy: { id: person.userID, email: person.email },
    });
    expect(await deletedKeys()).toEqual([]);
  });

  it("revokes the API keys of a person who came by single sign-on", async () => {
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
    const stranger = await server.signUp();
    expect(await errorCodesOf(stranger.call(removeMember, removal))).toEqual(["ERR_NOT_FOUND"]);
    expect(await works(token)).toBe(true);
  });

  it("revokes no API key of another organization", async () => {
    const person = await joinAs(server, owner, "administrator");
    const stranger = await server.signUp();
    const { id, token } = await createKey(stranger.call);
    await server.query("update api_keys set created_by_id = $1 where id = $2", [person.userID, id]);
    const params = { memberID: person.userID };
    await owner.call(removeMember, { params, query: { revokeAPIKeys: true } });
    expect(await works(token)).toBe(true);
  });

  it("takes a flag and nothing else", async () => {
    const params = { memberID: owner.userID };
    const query = { revokeAPIKeys: "maybe" } as never;
    expect(await errorsOf(owner.call(removeMember, { params, query }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "revokeAPIKeys" },
    ]);
  });

  it("leaves no API key behind that the person was just creating", async () => {
    const person = await joinAs(server, owner, "administrator");
    const outcome = await changeWhileWaiting(server, owner.organizationID, {
      request: () => outcomeOf(createKey(person.call)),
      change: `delete from users where id = '${person.userID}'`,
    });
    expect(outcome).toBe("ERR_UNAUTHORIZED");
    expect((await owner.call(listApiKeys)).data).toEqual([]);
  });

  it("nor one that a person was just creating who became an auditor", async () => {
    const person = await joinAs(server, owner, "administrator");
    const outcome = await changeWhileWaiting(server, owner.organizationID, {
      request: () => outcomeOf(createKey(person.call)),
      change: `update users set role = 'auditor' where id = '${person.userID}'`,
    });
    expect(outcome).toBe("ERR_FORBIDDEN");
    expect((await owner.call(listApiKeys)).data).toEqual([]);
  });
});

describe("leaving", () => {
  it("revokes one’s own API keys when asked to, in one’s own name", async () => {
    const person = await joinAs(server, owner, "administrator");
    const [own, others] = [await createKey(person.call), await createKey(owner.call)];
    await person.call(leaveOrganization, { query: { revokeAPIKeys: true } });
    expect([await works(own.token), await works(others.token)]).toEqual([false, true]);
    expect(await deletedKeys()).toMatchObject([
      { actor: { type: "user", id: person.userID, email: person.email }, target: { id: own.id } },
    ]);
  });

  it("keeps them otherwise, and for an auditor always", async () => {
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
  const refused = [{ code: "ERR_LIMIT_EXCEEDED", message: "limit exceeded", extra: { limit: API_KEYS_MAX } }];

  it("holds when several are created at once, and counts per organization", async () => {
    await fillUpTo(API_KEYS_MAX - 2);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => outcomeOf(createKey(owner.call))));
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(2);
    expect(outcomes.filter((outcome) => outcome === "ERR_LIMIT_EXCEEDED")).toHaveLength(6);
    const { data, metadata } = await owner.call(listApiKeys, {
      query: { pageSize: 500, includeCounts: true },
    });
    expect([data.length, metadata.totalCount, metadata.hasNextPage]).toEqual([500, 500, false]);
    expect(await errorsOf(createKey(owner.call))).toEqual(refused);
    const other = await server.signUp();
    await createKey(other.call);
    await owner.call(deleteApiKey, { params: { apiKeyID: data[0]?.id ?? "" } });
    await createKey(owner.call);
    await server.query("delete from api_keys where organization_id = $1", [owner.organizationID]);
  });
});
