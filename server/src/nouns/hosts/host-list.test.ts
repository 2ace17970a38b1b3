import {
  createHostV2,
  createRole,
  deleteHost,
  type HostStatus,
  hostSorts,
  hostStatuses,
  type HostV2,
  listHosts,
  listHostsV2,
} from "@lightkeeper/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFleet } from "../../testing/fleet.ts";
import {
  expiresSoonAt,
  fleets,
  type HostQuery,
  hosts,
  list,
  owner,
  roleIDs,
  server,
  stranger,
  useHostList,
} from "../../testing/host-list-fixture.ts";

useHostList();

describe("the list of hosts", () => {
  it("contains all hosts of the organization, oldest first, and no others", () => {
    const expected = ["Delta", "alpha", "Charlie", "bravo_1", "bravo%2", "echo", "Foxtrot"];
    expect(hosts.map(({ name }) => name)).toEqual(expected);
  });

  it("shows the metadata of each host's agent", () => {
    const metadata = Object.fromEntries(hosts.map((host) => [host.name, host.metadata]));
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
    const expires = { certificateExpiresAt: expiresSoonAt.toISOString() };
    expect(metadata.Charlie).toMatchObject({
      platform: "dnclient",
      updateAvailable: false,
      agent: foreign,
      ...expires,
    });
    expect(metadata.echo).toMatchObject({ platform: "mobile", updateAvailable: false });
    const neverSeen = {
      lastSeenAt: null,
      platform: null,
      updateAvailable: null,
      agent: null,
      enrolledAt: null,
    };
    expect(metadata.Foxtrot).toMatchObject(neverSeen);
  });

  it("shows every status that applies to a host", () => {
    const statuses = Object.fromEntries(hosts.map(({ name, metadata }) => [name, metadata.statuses]));
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

  it("is the same in version 1 of the API, with one address per host", async () => {
    const { data } = await owner.call(listHosts);
    const converted = hosts.map(({ ipAddresses, ...host }) => ({ ...host, ipAddress: ipAddresses[0] }));
    expect(data).toEqual(converted);
  });

  const ordered: Record<(typeof hostSorts)[number], string[]> = {
    name: ["alpha", "bravo%2", "bravo_1", "Charlie", "Delta", "echo", "Foxtrot"],
    ipAddress: ["Charlie", "bravo_1", "bravo%2", "Delta", "alpha", "echo", "Foxtrot"],
    lastSeenAt: ["alpha", "Charlie", "Delta"],
    createdAt: ["Delta", "alpha", "Charlie", "bravo_1", "bravo%2", "echo", "Foxtrot"],
  };
  it.each(hostSorts)("can be sorted by %s, ascending and descending", async (sort) => {
    const inOrder = async (by: HostQuery["sort"]) => (await list({ sort: by })).data.map(({ name }) => name);
    const [up, down] = [await inOrder(sort), await inOrder(`-${sort}`)];
    expect(down).toEqual([...up].reverse());
    // Hosts that were never seen come first.
    expect(up.slice(-ordered[sort].length)).toEqual(ordered[sort]);
  });

  it.each(hostSorts.flatMap((sort) => [sort, `-${sort}`] as const))(
    "can be paged forward and back with cursors, sorted by %s",
    async (sort) => {
      const whole = (await list({ sort })).data;
      const walk = async (query: HostQuery, direction: "next" | "prev") => {
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

describe("the total count of the list", () => {
  const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const flag = maybe([true, false]);

  it("equals the number of listed hosts for any combination of filters", async () => {
    const anyQuery = fc.record({
      "filter.networkID": maybe([0, 1]),
      "filter.roleID": maybe<0 | 1 | "any" | "null">([0, 1, "any", "null"]),
      "filter.isBlocked": flag,
      "filter.isLighthouse": flag,
      "filter.isRelay": flag,
      "filter.tag": maybe([["env:prod"], ["env:prod", "app:db"], ["env:prod", "env:prod"], ["env:test"]]),
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
          "filter.networkID": network === undefined ? undefined : fleets[network]?.networkID,
          "filter.roleID": typeof role === "number" ? roleIDs[role] : role,
        }).filter(([, value]) => value !== undefined);
        const { data, metadata } = await list({ ...Object.fromEntries(query), includeCounts: true });
        expect(metadata.totalCount).toBe(data.length);
        expect(metadata.page).toEqual({ start: 0, count: data.length });
      }),
      { numRuns: 150 },
    );
  });

  it("changes when a host is created or deleted", async () => {
    const { id } = await owner.call(createHostV2, {
      body: { name: "Short-lived", networkID: fleets[0].networkID, tags: ["env:prod", "app:db"] },
    });
    const counted = async (query: HostQuery) =>
      (await list({ ...query, includeCounts: true })).metadata.totalCount;
    expect(await counted({})).toBe(hosts.length + 1);
    expect(await counted({ "filter.tag": ["env:prod"] })).toBe(3);
    expect(await counted({ "filter.tag": ["env:prod", "app:db"] })).toBe(2);
    await owner.call(deleteHost, { params: { hostID: id } });
    expect(await counted({})).toBe(hosts.length);
    expect(await counted({ "filter.tag": ["env:prod"] })).toBe(2);
    expect(await counted({ "filter.tag": ["env:prod", "app:db"] })).toBe(1);
    for (const table of ["host_counts", "host_tag_set_counts"])
      expect(await server.query(`select from ${table} where count <= 0`)).toEqual([]);
  });

  it("is capped at 10,000 in a search, and is marked as capped", async () => {
    await (await createFleet(server, stranger, "10.128.0.0/16")).addMany(10_001);
    const counted = async (query: HostQuery) =>
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

  it("is capped if a role with more than 10,000 hosts matches the search", async () => {
    const person = await server.signUp();
    await (await createFleet(server, person, "10.192.0.0/16")).addMany(10_001);
    const role = await person.call(createRole, { body: { name: "Plentiful", firewallRules: [] } });
    await server.query("update hosts set role_id = $1 where organization_id = $2", [
      role.id,
      person.organizationID,
    ]);
    const search = (query: HostQuery = {}) =>
      person.call(listHostsV2, {
        query: { "filter.search": "plentiful", sort: "name", includeCounts: true, ...query },
      });
    const { data, metadata } = await search();
    expect(metadata).toMatchObject({ totalCount: 10_000, totalCountCapped: true, hasNextPage: true });
    expect(data.map(({ name }) => name)).toEqual(
      (await person.call(listHostsV2, { query: { sort: "name" } })).data.map(({ name }) => name),
    );
    const next = await search({ cursor: metadata.nextCursor });
    expect(next.metadata).toMatchObject({ totalCountCapped: true, page: { start: 25, count: 25 } });
    await server.query("update hosts set role_id = null where organization_id = $1 and name < 'many 5'", [
      person.organizationID,
    ]);
    const fewer = await search();
    expect(fewer.metadata.totalCount).toBeLessThan(10_000);
    expect(fewer.metadata).not.toHaveProperty("totalCountCapped");
  });
});

describe("a list with too many matches to sort", () => {
  it.each(hostSorts.flatMap((sort) => [sort, `-${sort}`] as const))(
    "has the same order by %s with a filter that matches all hosts",
    async (sort) => {
      const person = await server.signUp();
      await (await createFleet(server, person, "10.64.0.0/16")).addMany(5050);
      const { organizationID } = person;
      await server.query(`insert into tags values ($1, 'many:yes', '', 1, '[]', '[]', now(), now())`, [
        organizationID,
      ]);
      await server.query("update hosts set tags = '{many:yes}' where organization_id = $1", [organizationID]);
      const pageOf = async (query: HostQuery) =>
        (await person.call(listHostsV2, { query: { sort, pageSize: 500, ...query } })).data;
      const whole = await pageOf({});
      expect(whole).toHaveLength(500);
      for (const query of [{ "filter.isBlocked": false }, { "filter.tag": ["many:yes"] }])
        expect(await pageOf(query)).toEqual(whole);
      expect(await pageOf({ "filter.status": "neverEnrolled" })).toEqual(whole);
    },
  );
});
