import { getHostV2, hostStatuses } from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import {
  fleets,
  type HostQuery,
  hosts,
  list,
  namesOf,
  owner,
  roleIDs,
  useHostList,
} from "../../testing/host-list-fixture.ts";
import { errorsOf } from "../../testing/request-errors.ts";

useHostList();

describe("the list of hosts", () => {
  it.each(hostStatuses)(
    "filtered by the status %s has exactly the hosts with this status",
    async (status) => {
      const matching = hosts.filter(({ metadata }) => metadata.statuses.includes(status));
      expect(matching.length).toBeGreaterThan(0);
      for (const sort of [undefined, "name", "lastSeenAt"] as const)
        expect(await namesOf({ "filter.status": status, ...(sort && { sort }) })).toEqual(
          matching.map(({ name }) => name).sort(),
        );
      const firstMatch = matching[0];
      const { metadata } = await owner.call(getHostV2, { params: { hostID: firstMatch?.id ?? "" } });
      expect(metadata).toEqual(firstMatch?.metadata);
    },
  );

  const filters: [HostQuery | (() => HostQuery), string[]][] = [
    [() => ({ "filter.networkID": fleets[0].networkID }), ["Delta", "Foxtrot", "alpha", "echo"]],
    [() => ({ "filter.roleID": roleIDs[1] ?? "" }), ["alpha", "echo"]],
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
  it.each(filters)("can be filtered by %o", async (query, expected) => {
    expect(await namesOf(typeof query === "function" ? query() : query)).toEqual(expected);
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
  ])("rejects %s=%s", async (key, value) => {
    expect(await errorsOf(list({ [key]: value }))).toMatchObject([{ path: expect.stringContaining(key) }]);
  });
});
