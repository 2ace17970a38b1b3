import {
  blockHostV2,
  createHostV2,
  createRole,
  deleteHost,
  getHostV2,
  type HostStatus,
  hostSorts,
  hostStatuses,
  type HostV2,
  type Input,
  listHosts,
  listHostsV2,
} from "@lightkeeper/contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { errorsOf } from "../../testing/request-errors.ts";
import { DAY_MS, type Session, startTestServer, type TestServer } from "../../testing/server.ts";

type Query = NonNullable<Input<typeof listHostsV2>["query"]>;

let server: TestServer;
let owner: Session;
let stranger: Session;
let fleet: Fleet;
let other: Fleet;
let roles: string[];
let all: HostV2[];
let soon: Date;

const list = (query: Query = {}) => owner.call(listHostsV2, { query: { pageSize: 500, ...query } });
const names = async (query: Query) => (await list(query)).data.map(({ name }) => name).sort();

/** What only agents change is written as they will leave it. */
const observed = (name: string, columns: string, ...values: unknown[]) =>
  server.query(`update hosts set ${columns} where name = $1`, [name, ...values]);

beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  stranger = await server.signUp();
  fleet = await createFleet(server, owner, "10.1.0.0/24");
  other = await createFleet(server, owner, "10.0.0.0/24");
  const created = [];
  for (const name of ["Database", "Web 100%"]) created.push(await owner.call(createRole, { body: { name } }));
  roles = created.map(({ id }) => id);
  const [database = "", web = ""] = roles;
  const lighthouse = { listenPort: 4242, staticAddresses: ["192.0.2.1:4242"] };
  await fleet.add({ name: "Delta", roleID: database, tags: ["env:prod", "app:db"] });
  await fleet.add({ name: "alpha", roleID: web, tags: ["env:prod"] });
  await other.add({ name: "Charlie", tags: ["env:test"] });
  await other.add({ name: "bravo_1", isLighthouse: true, ...lighthouse });
  await other.add({ name: "bravo%2", isRelay: true, ...lighthouse });
  await fleet.add({ name: "echo", roleID: web });
  const blocked = await fleet.add({ name: "Foxtrot" });
  await owner.call(blockHostV2, { params: { hostID: blocked.id } });
  const now = new Date();
  soon = new Date(now.getTime() + 29 * DAY_MS);
  const enrolled = "enrolled_at = $2, agent_name = $3, agent_version = $4";
  await observed("Delta", `${enrolled}, is_online = true`, now, "lightkeeper-agent", "test");
  await observed("alpha", `${enrolled}, is_drifted = true`, now, "lightkeeper-agent", "0.0.1");
  await server.query(
    `insert into host_reports (host_id, organization_id, config_hash, nebula_version, tunnels, reported_at)
     select id, organization_id, '', '1.9.3', '[]', now() from hosts where name = 'Delta'`,
  );
  await observed("Charlie", `${enrolled}, certificate_expires_at = $5`, now, "dnclient", "0.8.4", soon);
  const endpoint = "eoidcuser-AAAAAAAAAAAAAAAAAAAAAAAAAA";
  await observed("echo", `${enrolled}, endpoint_oidc_user_id = $5`, now, "mobile", "1.0", endpoint);
  await server.query(
    `update host_presence set last_seen_at = seen.at
     from (values ('Delta', timestamptz '2026-03-01'), ('alpha', timestamptz '2026-01-01'),
       ('Charlie', timestamptz '2026-02-01')) seen (name, at), hosts
     where hosts.name = seen.name and host_presence.host_id = hosts.id`,
  );
  all = (await list()).data;
  const foreign = await createFleet(server, stranger, "10.1.0.0/24");
  await foreign.add({ name: "Delta of others", tags: ["env:prod"] });
});
afterAll(() => server.close());

describe("the list of hosts", () => {
  it("holds all of an organization, oldest first, and nothing of another's", () => {
    const expected = ["Delta", "alpha", "Charlie", "bravo_1", "bravo%2", "echo", "Foxtrot"];
    expect(all.map(({ name }) => name)).toEqual(expected);
  });

  it("shows what is known of the agent", () => {
    const metadata = Object.fromEntries(all.map((host) => [host.name, host.metadata]));
    expect(metadata.Delta).toEqual({
      lastSeenAt: "2026-03-01T00:00:00.000Z",
      platform: "dnclient",
      version: "test",
      updateAvailable: false,
      statuses: ["online"],
      agent: { name: "lightkeeper-agent", version: "test", nebulaVersion: "1.9.3" },
      enrolledAt: expect.any(String),
      certificateExpiresAt: null,
    });
    expect(metadata.alpha).toMatchObject({ version: "0.0.1", updateAvailable: true });
    const foreign = { name: "dnclient", version: "0.8.4", nebulaVersion: null };
    const expires = { certificateExpiresAt: soon.toISOString() };
    expect(metadata.Charlie).toMatchObject({
      platform: "dnclient",
      updateAvailable: false,
      agent: foreign,
      ...expires,
    });
    expect(metadata.echo).toMatchObject({ platform: "mobile", updateAvailable: false });
    const unheard = {
      lastSeenAt: null,
      platform: null,
      updateAvailable: null,
      agent: null,
      enrolledAt: null,
    };
    expect(metadata.Foxtrot).toMatchObject(unheard);
  });

  it.each(hostStatuses)("has, of hosts that are %s, just those that say so themselves", async (status) => {
    const saying = all.filter(({ metadata }) => metadata.statuses.includes(status));
    expect(saying.length).toBeGreaterThan(0);
    for (const sort of [undefined, "name", "lastSeenAt"] as const)
      expect(await names({ "filter.status": status, ...(sort && { sort }) })).toEqual(
        saying.map(({ name }) => name).sort(),
      );
    const one = saying[0];
    const { metadata } = await owner.call(getHostV2, { params: { hostID: one?.id ?? "" } });
    expect(metadata).toEqual(one?.metadata);
  });

  it("says of a host all that is true of it at once", () => {
    const statuses = Object.fromEntries(all.map(({ name, metadata }) => [name, metadata.statuses]));
    expect(statuses).toEqual({
      Delta: ["online"],
      alpha: ["offline", "drifted"],
      Charlie: ["offline", "expiring"],
      bravo_1: ["neverEnrolled"],
      "bravo%2": ["neverEnrolled"],
      echo: ["offline"],
      Foxtrot: ["blocked"],
    });
  });

  it("is the same in the first version, with one address each", async () => {
    const { data } = await owner.call(listHosts);
    const converted = all.map(({ ipAddresses, ...host }) => ({ ...host, ipAddress: ipAddresses[0] }));
    expect(data).toEqual(converted);
  });

  const filters: [Query | (() => Query), string[]][] = [
    [() => ({ "filter.networkID": fleet.networkID }), ["Delta", "Foxtrot", "alpha", "echo"]],
    [() => ({ "filter.roleID": roles[1] ?? "" }), ["alpha", "echo"]],
    [{ "filter.roleID": "any" }, ["Delta", "alpha", "echo"]],
    [{ "filter.roleID": "null" }, ["Charlie", "Foxtrot", "bravo%2", "bravo_1"]],
    [{ "filter.isBlocked": true }, ["Foxtrot"]],
    [{ "filter.isLighthouse": true }, ["bravo_1"]],
    [{ "filter.isRelay": true }, ["bravo%2"]],
    [
      { "filter.isRelay": false, "filter.isLighthouse": false },
      ["Charlie", "Delta", "Foxtrot", "alpha", "echo"],
    ],
    [{ "filter.tag": ["env:prod"] }, ["Delta", "alpha"]],
    [{ "filter.tag": ["env:prod", "app:db"] }, ["Delta"]],
    [{ "filter.tag": ["no:such"] }, []],
    [{ "filter.metadata.lastSeenAt": "null" }, ["Foxtrot", "bravo%2", "bravo_1"]],
    [{ "filter.metadata.platform": "mobile" }, ["echo"]],
    [{ "filter.metadata.platform": "dnclient" }, ["Charlie", "Delta", "alpha"]],
    [{ "filter.metadata.platform": "null" }, ["Foxtrot", "bravo%2", "bravo_1"]],
    [{ "filter.metadata.updateAvailable": true }, ["alpha"]],
    [{ "filter.metadata.updateAvailable": false }, ["Charlie", "Delta", "echo"]],
    [{ "filter.endpointOIDCUserID": "any" }, ["echo"]],
    [{ "filter.endpointOIDCUserID": "eoidcuser-AAAAAAAAAAAAAAAAAAAAAAAAAA" }, ["echo"]],
    [{ "filter.status": "online" }, ["Delta"]],
    [{ "filter.status": "offline" }, ["Charlie", "alpha", "echo"]],
    [{ "filter.status": "neverEnrolled" }, ["bravo%2", "bravo_1"]],
    [{ "filter.status": "blocked" }, ["Foxtrot"]],
    [{ "filter.status": "expiring" }, ["Charlie"]],
    [{ "filter.status": "drifted" }, ["alpha"]],
    [{ "filter.search": "ALPH" }, ["alpha"]],
    [{ "filter.search": "10.1.0." }, ["Delta", "Foxtrot", "alpha", "echo"]],
    [{ "filter.search": "APP:D" }, ["Delta"]],
    [{ "filter.search": "taba" }, ["Delta"]],
    [{ "filter.search": "100%" }, ["alpha", "echo"]],
    [{ "filter.search": "o_1" }, ["bravo_1"]],
    [{ "filter.search": "o%2" }, ["bravo%2"]],
    [{ "filter.search": "nothing like it" }, []],
    [{ "filter.search": "e", "filter.tag": ["env:test"] }, ["Charlie"]],
  ];
  it.each(filters)("is narrowed by %o", async (query, expected) => {
    expect(await names(typeof query === "function" ? query() : query)).toEqual(expected);
  });

  it.each([
    ["filter.networkID", "network"],
    ["filter.roleID", "all"],
    ["filter.isBlocked", "yes"],
    ["filter.status", "sleeping"],
    ["filter.tag", "no-colon"],
    ["filter.metadata.lastSeenAt", "2026"],
    ["filter.metadata.platform", "linux"],
    ["filter.search", "x".repeat(101)],
    ["sort", "size"],
    ["pageSize", "501"],
    ["cursor", "rubbish"],
    ["filter.name", "x"],
  ])("refuses %s=%s", async (key, value) => {
    expect(await errorsOf(list({ [key]: value }))).toMatchObject([{ path: expect.stringContaining(key) }]);
  });

  const ordered: Record<(typeof hostSorts)[number], string[]> = {
    name: ["alpha", "bravo%2", "bravo_1", "Charlie", "Delta", "echo", "Foxtrot"],
    ipAddress: ["Charlie", "bravo_1", "bravo%2", "Delta", "alpha", "echo", "Foxtrot"],
    lastSeenAt: ["alpha", "Charlie", "Delta"],
    createdAt: ["Delta", "alpha", "Charlie", "bravo_1", "bravo%2", "echo", "Foxtrot"],
  };
  it.each(hostSorts)("is sorted by %s, both ways", async (sort) => {
    const inOrder = async (by: Query["sort"]) => (await list({ sort: by })).data.map(({ name }) => name);
    const [up, down] = [await inOrder(sort), await inOrder(`-${sort}`)];
    expect(down).toEqual([...up].reverse());
    // Those never seen come before those seen long ago.
    expect(up.slice(-ordered[sort].length)).toEqual(ordered[sort]);
  });

  it.each(hostSorts.flatMap((sort) => [sort, `-${sort}`] as const))(
    "is walked there and back by cursors, sorted by %s",
    async (sort) => {
      const whole = (await list({ sort })).data;
      const walk = async (query: Query, direction: "next" | "prev") => {
        const pages: HostV2[][] = [];
        let cursor: string | undefined;
        for (;;) {
          const { data, metadata } = await list({ ...query, sort, pageSize: 2, ...(cursor && { cursor }) });
          pages.push(data);
          if (!(direction === "next" ? metadata.hasNextPage : metadata.hasPrevPage))
            return { pages, metadata };
          cursor = direction === "next" ? metadata.nextCursor : metadata.prevCursor;
        }
      };
      const there = await walk({}, "next");
      expect(there.pages.flat()).toEqual(whole);
      const back = await walk({ cursor: there.metadata.prevCursor }, "prev");
      expect([...back.pages].reverse()).toEqual(there.pages.slice(0, -1));
      const tagged = await walk({ "filter.tag": ["env:prod"] }, "next");
      expect(tagged.pages.flat()).toHaveLength(2);
    },
  );
});

describe("the count behind the list", () => {
  const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const flag = maybe([true, false]);

  it("is as many as the list holds, whatever it is narrowed by", async () => {
    const anyQuery = fc.record({
      "filter.networkID": maybe([0, 1]),
      "filter.roleID": maybe<0 | 1 | "any" | "null">([0, 1, "any", "null"]),
      "filter.isBlocked": flag,
      "filter.isLighthouse": flag,
      "filter.isRelay": flag,
      "filter.tag": maybe([["env:prod"], ["env:prod", "app:db"], ["env:test"]]),
      "filter.status": maybe<HostStatus>(hostStatuses),
      "filter.metadata.lastSeenAt": maybe(["null"] as const),
      "filter.metadata.platform": maybe(["mobile", "dnclient", "null"] as const),
      "filter.metadata.updateAvailable": flag,
      "filter.endpointOIDCUserID": maybe(["any", "null"] as const),
      "filter.search": maybe(["a", "10.", "prod", "o"]),
      sort: maybe(hostSorts),
    });
    await fc.assert(
      fc.asyncProperty(anyQuery, async (drawn) => {
        const network = drawn["filter.networkID"];
        const role = drawn["filter.roleID"];
        const query = Object.entries({
          ...drawn,
          "filter.networkID": network === undefined ? undefined : [fleet, other][network]?.networkID,
          "filter.roleID": typeof role === "number" ? roles[role] : role,
        }).filter(([, value]) => value !== undefined);
        const { data, metadata } = await list({ ...Object.fromEntries(query), includeCounts: true });
        expect(metadata.totalCount).toBe(data.length);
        expect(metadata.page).toEqual({ start: 0, count: data.length });
      }),
      { numRuns: 150 },
    );
  });

  it("follows every way a host comes and goes", async () => {
    const { id } = await owner.call(createHostV2, {
      body: { name: "Short-lived", networkID: fleet.networkID, tags: ["env:prod"] },
    });
    const counted = async (query: Query) =>
      (await list({ ...query, includeCounts: true })).metadata.totalCount;
    expect(await counted({})).toBe(all.length + 1);
    expect(await counted({ "filter.tag": ["env:prod"] })).toBe(3);
    await owner.call(deleteHost, { params: { hostID: id } });
    expect(await counted({})).toBe(all.length);
    expect(await counted({ "filter.tag": ["env:prod"] })).toBe(2);
    expect(await server.query("select from host_counts where count <= 0")).toEqual([]);
  });

  it("ends at 10,000 in a search, and says so", async () => {
    await (await createFleet(server, stranger, "10.128.0.0/16")).addMany(10_001);
    const counted = async (query: Query) =>
      (await stranger.call(listHostsV2, { query: { ...query, includeCounts: true } })).metadata;
    expect(await counted({ "filter.search": "many" })).toMatchObject({
      totalCount: 10_000,
      totalCountCapped: true,
    });
    const exact = await counted({ "filter.search": "many 1000" });
    expect(exact.totalCount).toBe(3); // 1000, 10000, 10001
    expect(exact).not.toHaveProperty("totalCountCapped");
    expect((await counted({})).totalCount).toBe(10_002);
  });
});

describe("a list of more hosts than are sorted for it", () => {
  it.each(hostSorts.flatMap((sort) => [sort, `-${sort}`] as const))(
    "is in the same order, %s, narrowed by what all have in common",
    async (sort) => {
      const person = await server.signUp();
      await (await createFleet(server, person, "10.64.0.0/16")).addMany(5050);
      const { organizationID } = person;
      await server.query(`insert into tags values ($1, 'many:yes', '', 1, '[]', '[]', now(), now())`, [
        organizationID,
      ]);
      await server.query("update hosts set tags = '{many:yes}' where organization_id = $1", [organizationID]);
      const pageOf = async (query: Query) =>
        (await person.call(listHostsV2, { query: { sort, pageSize: 500, ...query } })).data;
      const whole = await pageOf({});
      expect(whole).toHaveLength(500);
      for (const query of [{ "filter.isBlocked": false }, { "filter.tag": ["many:yes"] }])
        expect(await pageOf(query)).toEqual(whole);
      expect(await pageOf({ "filter.status": "neverEnrolled" })).toEqual(whole);
    },
  );
});
