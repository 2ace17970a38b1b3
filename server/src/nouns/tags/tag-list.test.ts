import { createTag, getTag, listTags, updateTag } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
});
afterAll(() => server.close());

describe("the list of tags", () => {
  const ssh = { protocol: "TCP", portRange: { from: 22, to: 22 } } as const;

  it("is paginated by ascending or descending priority, without the rules [S3.4]", async () => {
    const person = await server.signUp();
    for (const name of ["b:2", "c:3", "a:1", "d:4", "e:5"])
      await person.call(createTag, { body: { name, firewallRules: [ssh, ssh] } });
    await person.call(updateTag, { params: { tag: "e:5" }, body: { before: "c:3" } });
    const list = (query: object) =>
      person.call(listTags, { query: { pageSize: 2, includeCounts: true, ...query } });
    const first = await list({});
    expect(first.metadata).toMatchObject({
      totalCount: 5,
      page: { start: 0, count: 2 },
      hasNextPage: true,
      hasPrevPage: false,
    });
    const second = await list({ cursor: first.metadata.nextCursor });
    const third = await list({ cursor: second.metadata.nextCursor });
    expect([...first.data, ...second.data, ...third.data].map(({ name }) => name)).toEqual([
      "b:2",
      "e:5",
      "c:3",
      "a:1",
      "d:4",
    ]);
    expect(third.metadata).toMatchObject({ page: { start: 4, count: 1 }, hasNextPage: false });
    expect((await list({ cursor: third.metadata.prevCursor })).data).toEqual(second.data);
    const reversed = { sort: "-priority" };
    const highest = await list(reversed);
    const next = await list({ ...reversed, cursor: highest.metadata.nextCursor });
    const last = await list({ ...reversed, cursor: next.metadata.nextCursor });
    expect([...highest.data, ...next.data, ...last.data]).toEqual(
      [...first.data, ...second.data, ...third.data].toReversed(),
    );
    expect((await list({ ...reversed, cursor: last.metadata.prevCursor })).data).toEqual(next.data);
    expect(await list({ sort: "priority" })).toEqual(first);
    expect(await errorsOf(list({ sort: "name" }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "sort" },
    ]);
    for (const item of first.data) {
      expect(item.firewallRulesCount).toBe(2);
      expect(item).not.toHaveProperty("firewallRules");
    }
  });

  it("rejects forged and invalid cursors", async () => {
    const forged = [
      ["next", JSON.stringify([0, "first", "a:1"])],
      ["next", JSON.stringify([0, "1"])],
    ].map((parts) => parts.map((part) => Buffer.from(part).toString("base64url")).join("."));
    for (const cursor of [...forged, "nonsense"])
      expect(await errorsOf(owner.call(listTags, { query: { cursor } }))).toMatchObject([
        { code: "ERR_INVALID_VALUE", path: "cursor" },
      ]);
  });

  it("can be searched by parts of names and descriptions, ignoring case, with wildcards as plain text", async () => {
    await owner.call(createTag, { body: { name: "edge:100%", description: "Front_door" } });
    const find = async (text: string) => {
      const { data, metadata } = await owner.call(listTags, {
        query: { "filter.search": text, includeCounts: true },
      });
      expect(metadata.totalCount).toBe(data.length);
      return data.map(({ name }) => name);
    };
    for (const text of ["eDGE:1", "0%", "t_D", "%"]) expect(await find(text)).toEqual(["edge:100%"]);
    expect(await find("nothing like it")).toEqual([]);
  });
});

describe("moving a tag", () => {
  it("ignores read-only properties in the request", async () => {
    const [low, high] = ["moved:low", "moved:high"];
    for (const name of [low, high]) await owner.call(createTag, { body: { name } });
    const body = { after: high, name: [], priority: {}, hostCount: "many" };
    const moved = await owner.call(updateTag, { params: { tag: low }, body });
    expect(moved.name).toBe(low);
    const above = await owner.call(getTag, { params: { tag: high } });
    expect(moved.priority).toBeGreaterThan(above.priority);
  });
});
