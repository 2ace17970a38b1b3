import { createNetwork, listNetworks, listNetworksV2 } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

describe("listing networks", () => {
  let person: Session;
  beforeAll(async () => {
    person = await server.signUp();
    for (let index = 0; index < 12; index++)
      await person.call(createNetwork, { body: { name: `Network ${index}` } });
  });

  it("pages forwards and back, with counts [S3.4] [S7.10]", async () => {
    const query = { includeCounts: true, pageSize: 5 };
    const first = await person.call(listNetworks, { query });
    expect(first.metadata).toMatchObject({
      hasNextPage: true,
      hasPrevPage: false,
      totalCount: 12,
      page: { start: 0, count: 5 },
    });
    const second = await person.call(listNetworks, {
      query: { ...query, cursor: first.metadata.nextCursor },
    });
    expect(second.metadata).toMatchObject({
      hasNextPage: true,
      hasPrevPage: true,
      page: { start: 5, count: 5 },
    });
    const third = await person.call(listNetworks, {
      query: { ...query, cursor: second.metadata.nextCursor },
    });
    expect(third.metadata).toMatchObject({
      hasNextPage: false,
      hasPrevPage: true,
      page: { start: 10, count: 2 },
    });
    const back = await person.call(listNetworks, { query: { ...query, cursor: third.metadata.prevCursor } });
    expect(back.data).toEqual(second.data);
    expect(back.metadata.page).toEqual({ start: 5, count: 5 });
    const names = [...first.data, ...second.data, ...third.data].map(({ name }) => name);
    expect(new Set(names).size).toBe(12);
  });

  it("returns a page start of 0 when paging back reaches the beginning [S7.23]", async () => {
    const query = { includeCounts: true, pageSize: 5 };
    const first = await person.call(listNetworks, { query: { ...query, pageSize: 3 } });
    const second = await person.call(listNetworks, {
      query: { ...query, cursor: first.metadata.nextCursor },
    });
    const back = await person.call(listNetworks, { query: { ...query, cursor: second.metadata.prevCursor } });
    expect(back.metadata.page).toEqual({ start: 0, count: 3 });
    expect(back.metadata.hasPrevPage).toBe(false);
  });

  it("treats an empty cursor as no cursor, and returns the total count with a page of size 1 [S7.24]", async () => {
    const one = await person.call(listNetworks, { query: { cursor: "", pageSize: 1, includeCounts: true } });
    expect(one.data).toHaveLength(1);
    expect(one.metadata.totalCount).toBe(12);
  });

  it("omits counts unless they are requested", async () => {
    const { metadata } = await person.call(listNetworksV2);
    expect(metadata).not.toHaveProperty("totalCount");
    expect(metadata).not.toHaveProperty("page");
  });

  it.each([
    ["cursor", "rubbish"],
    ["cursor", "bmV4dA.WzAsIjIwMjYtOTktOTlUMDA6MDA6MDAuMDAwWiIsIngiXQ"],
    ["pageSize", "0"],
    ["pageSize", "501"],
    ["pageSize", "ten"],
    ["includeCounts", "yes"],
    ["colour", "red"],
  ])("rejects the query %s=%s with the path of the parameter", async (name, value) => {
    const rejected = await errorsOf(person.call(listNetworks, { query: { [name]: value } }));
    expect(rejected).toMatchObject([{ code: "ERR_INVALID_VALUE", path: name }]);
  });

  it("returns the format of each API version", async () => {
    const v1 = (await person.call(listNetworks)).data[0];
    const v2 = (await person.call(listNetworksV2)).data[0];
    expect(v1).toHaveProperty("cidr", "100.100.0.0/22");
    expect(v1).not.toHaveProperty("certVersion");
    expect(v2).toMatchObject({ cidrs: ["100.100.0.0/22"], certVersion: 1, disableManagedLighthouses: false });
    expect(v2).not.toHaveProperty("cidr");
  });
});
