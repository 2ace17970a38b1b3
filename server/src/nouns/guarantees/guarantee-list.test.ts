import {
  createNetwork,
  createTag,
  type Guarantee,
  listGuarantees,
  suspendGuarantee,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccessFleet } from "../../testing/access-fixture.ts";
import { type GuaranteeFixture, port, startGuaranteeServer } from "../../testing/guarantees-fixture.ts";
import { errorsOf } from "../../testing/request-errors.ts";
import type { Session } from "../../testing/server.ts";

let fixture: GuaranteeFixture;
let owner: Session;
let fleet: AccessFleet;
let create: GuaranteeFixture["create"];
let inDays: GuaranteeFixture["inDays"];
beforeAll(async () => {
  fixture = await startGuaranteeServer();
  ({ owner, fleet, create, inDays } = fixture);
});
afterAll(() => fixture.server.close());

describe("the list of guarantees", () => {
  let created: Record<"holds" | "failing" | "noHosts" | "suspended" | "later", Guarantee>;
  beforeAll(async () => {
    await owner.call(createTag, { body: { name: "un:used" } });
    const other = await owner.call(createNetwork, { body: { name: "Other" } });
    created = {
      holds: await create({ description: "100% closed", networkID: fleet.networkID }),
      noHosts: await create({ source: { type: "tag", id: "un:used" }, networkID: other.id }),
      failing: await create({
        portRange: port(5432),
        destination: { type: "host", id: fleet.hosts["database-1"] },
      }),
      suspended: await create({ destination: { type: "subnet", cidr: "192.168.5.0/24" } }),
      later: await create({ portRange: port(5432) }),
    };
    const params = { guaranteeID: created.suspended.id };
    await owner.call(suspendGuarantee, { params, body: { reason: "Migration", until: inDays(1) } });
  });

  const sorted = ["failing", "later", "suspended", "holds", "noHosts"] as const;
  const nameOf = ({ id }: Guarantee) => sorted.find((name) => created[name].id === id);
  const find = async (query: object) => {
    const { data, metadata } = await owner.call(listGuarantees, {
      query: { includeCounts: true, ...query },
    });
    expect(metadata.totalCount).toBe(data.length);
    return data.map(nameOf);
  };

  it("starts with failing ones, then suspended ones, and keeps the order of creation", async () => {
    expect(await find({})).toEqual(sorted);
  });

  it("is paginated in both directions", async () => {
    const query = { pageSize: 2, includeCounts: true };
    const first = await owner.call(listGuarantees, { query });
    expect(first.data.map(nameOf)).toEqual(sorted.slice(0, 2));
    expect(first.metadata).toMatchObject({
      totalCount: 5,
      hasNextPage: true,
      hasPrevPage: false,
      page: { start: 0, count: 2 },
    });
    const second = await owner.call(listGuarantees, {
      query: { ...query, cursor: first.metadata.nextCursor },
    });
    expect(second.data.map(nameOf)).toEqual(sorted.slice(2, 4));
    expect(second.metadata).toMatchObject({
      hasNextPage: true,
      hasPrevPage: true,
      page: { start: 2, count: 2 },
    });
    const third = await owner.call(listGuarantees, {
      query: { ...query, cursor: second.metadata.nextCursor },
    });
    expect(third.data.map(nameOf)).toEqual(sorted.slice(4));
    expect(third.metadata).toMatchObject({ hasNextPage: false, page: { start: 4, count: 1 } });
    const back = await owner.call(listGuarantees, {
      query: { ...query, cursor: third.metadata.prevCursor },
    });
    expect(back.data.map(nameOf)).toEqual(sorted.slice(2, 4));
    expect(back.metadata).toMatchObject({ hasPrevPage: true, page: { start: 2, count: 2 } });
    const invalid = owner.call(listGuarantees, { query: { cursor: "invalid" } });
    expect(await errorsOf(invalid)).toMatchObject([{ path: "cursor" }]);
  });

  it("is filtered by state and by network, with guarantees about all networks", async () => {
    expect(await find({ "filter.state": "failing" })).toEqual(["failing", "later"]);
    expect(await find({ "filter.state": "noHosts" })).toEqual(["noHosts"]);
    expect(await find({ "filter.networkID": fleet.networkID })).toEqual([
      "failing",
      "later",
      "suspended",
      "holds",
    ]);
  });

  it("can be searched by description, and by the names of roles, tags, hosts and subnets", async () => {
    expect(await find({ "filter.search": "0% CLOSED" })).toEqual(["holds"]);
    expect(await find({ "filter.search": "database-" })).toEqual(["failing"]);
    expect(await find({ "filter.search": "DATABASE" })).toEqual(["failing", "later", "holds", "noHosts"]);
    expect(await find({ "filter.search": "un:" })).toEqual(["noHosts"]);
    expect(await find({ "filter.search": "192.168" })).toEqual(["suspended"]);
    expect(await find({ "filter.search": "nothing like it" })).toEqual([]);
  });
});
