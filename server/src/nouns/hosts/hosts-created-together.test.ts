/** Requests that create hosts at the same time share transactions, and nothing else. */
import {
  createGuarantee,
  createHostV2,
  createNetworkV2,
  createTag,
  getGuarantee,
  type HostV2CreateInput,
  listAuditLogs,
  listHostsV2,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { insertApiKey } from "../../testing/api-keys.ts";
import { createDatabaseFleet } from "../../testing/database-fleet.ts";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { errorsOf, outcomeOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

const COUNT = 20;

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});

const names = Array.from({ length: COUNT }, (_, index) => `host-${index}`);
const createAll = (bodies: Partial<HostV2CreateInput>[]) => bodies.map((body) => fleet.add(body));
const countTransactions = async () => {
  const [row] = await server.query<{ count: string }>(
    "select count(distinct xmin::text) from hosts where network_id = $1",
    [fleet.networkID],
  );
  return Number(row?.count);
};
const listNames = async () => {
  const { data } = await owner.call(listHostsV2, {
    query: { "filter.networkID": fleet.networkID, pageSize: 100 },
  });
  return data.map(({ name }) => name).toSorted();
};

describe("hosts that are created at the same time", () => {
  it("are stored in fewer transactions, each with its own response, address and audit entry", async () => {
    const hosts = await Promise.all(createAll(names.map((name) => ({ name, tags: [`name:${name}`] }))));
    expect(hosts.map(({ name, tags }) => [name, tags])).toEqual(
      names.map((name) => [name, [`name:${name}`]]),
    );
    expect(new Set(hosts.flatMap(({ ipAddresses }) => ipAddresses)).size).toBe(COUNT);
    expect(await countTransactions()).toBeLessThan(COUNT / 2);
    for (const { id, name } of hosts) {
      const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": id } });
      expect(data).toMatchObject([
        {
          event: { type: "CREATED", after: { name } },
          actor: { id: owner.userID },
          actorAddress: "127.0.0.1",
        },
      ]);
    }
  });

  it("get their own error if one of them is rejected, and the others are created", async () => {
    await fleet.add({ name: "taken" });
    const invalid = [
      { name: "TAKEN" },
      { name: "missing-role", roleID: "role-MISSING" },
      { name: "outside", ipAddresses: ["203.0.113.1"] },
      { name: "host-3" },
    ];
    const [valid, ...rejected] = [createAll(names.map((name) => ({ name }))), ...createAll(invalid)];
    expect(await Promise.all(rejected.map((call) => errorsOf(call)))).toMatchObject([
      [{ code: "ERR_DUPLICATE_VALUE", path: "name" }],
      [{ code: "ERR_INVALID_REFERENCE", path: "roleID" }],
      [{ code: "ERR_INVALID_VALUE", path: "ipAddresses[0]" }],
      [{ code: "ERR_DUPLICATE_VALUE", path: "name" }],
    ]);
    await Promise.all(valid);
    expect(await listNames()).toEqual([...names, "taken"].toSorted());
  });

  it("are attributed to their own actors", async () => {
    const key = await insertApiKey(server, owner, ["hosts:create"]);
    const callWithKey = server.client(key.token);
    const body = (name: string) => ({ name, networkID: fleet.networkID });
    const [ofOwner, ofKey] = await Promise.all([
      Promise.all(names.map((name) => owner.call(createHostV2, { body: body(name) }))),
      Promise.all(names.map((name) => callWithKey(createHostV2, { body: body(`key-${name}`) }))),
    ]);
    const actorOf = async ({ id }: { id: string }) =>
      (await owner.call(listAuditLogs, { query: { "filter.targetID": id } })).data[0]?.actor;
    for (const host of ofOwner) expect(await actorOf(host)).toMatchObject({ type: "user", id: owner.userID });
    for (const host of ofKey) expect(await actorOf(host)).toMatchObject({ type: "apiKey", id: key.id });
  });

  it("stay in their networks and organizations", async () => {
    const other = await server.signUp();
    const otherFleet = await createFleet(server, other);
    const second = await owner.call(createNetworkV2, { body: { name: "Second", cidrs: ["10.9.0.0/24"] } });
    const bodies = names.flatMap((name) => [{ name }, { name, networkID: second.id }]);
    const foreign = { name: "foreign", networkID: otherFleet.networkID };
    const [hosts, others, outcome] = await Promise.all([
      Promise.all(createAll(bodies)),
      Promise.all(names.map((name) => otherFleet.add({ name }))),
      outcomeOf(fleet.add(foreign)),
    ]);
    expect(outcome).toBe("ERR_INVALID_REFERENCE");
    expect(hosts.map(({ networkID }) => networkID)).toEqual(
      bodies.map(({ networkID }) => networkID ?? fleet.networkID),
    );
    expect(new Set(others.map(({ organizationID }) => organizationID))).toEqual(
      new Set([other.organizationID]),
    );
  });

  it("can't exceed the Free plan together", async () => {
    await server.query("update organizations set plan = 'free' where id = $1", [owner.organizationID]);
    const limit = server.ctx.config.freePlanHostLimit;
    await fleet.addMany(limit - 5);
    const outcomes = await Promise.all(createAll(names.map((name) => ({ name }))).map(outcomeOf));
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(5);
    expect(outcomes.filter((outcome) => outcome === "ERR_LIMIT_EXCEEDED")).toHaveLength(COUNT - 5);
  });
});

it("records only the change that breaks a guarantee", async () => {
  const databases = await createDatabaseFleet(server, owner);
  await owner.call(createTag, { body: { name: "env:dev" } });
  const { id } = await owner.call(createGuarantee, {
    body: {
      type: "MUST_NEVER_REACH",
      source: { type: "tag", id: "env:dev" },
      destination: { type: "role", id: databases.database.id },
      protocol: "ANY",
    },
  });
  const roleID = databases.web.id;
  const calls = names.map((name, index) =>
    databases.add({ name, roleID, ...(index === 7 && { tags: ["env:dev"] }) }),
  );
  const outcomes = await Promise.all(calls.map(outcomeOf));
  expect(outcomes).toEqual(names.map((_, index) => (index === 7 ? "ERR_GUARANTEE_VIOLATED" : "done")));
  expect(await owner.call(getGuarantee, { params: { guaranteeID: id } })).toMatchObject({
    rejectedChangeCount: 1,
  });
});
