import {
  createHostV2,
  createNetwork,
  createTag,
  deleteTag,
  getTag,
  listAuditLogs,
  listTags,
  updateHostV3,
  updateTag,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { done } from "../../infrastructure/db/audited.ts";
import { errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { ensureTags } from "./ensure-tags.service.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  owner = await server.signUp();
});

const make = (name: string, body: object = {}) => owner.call(createTag, { body: { name, ...body } });
const move = (tag: string, body: object) => owner.call(updateTag, { params: { tag }, body });
const ordered = async () => {
  const { data } = await owner.call(listTags, { query: { pageSize: 500 } });
  const priorities = data.map(({ priority }) => priority);
  expect(new Set(priorities).size).toBe(priorities.length);
  expect(priorities).toEqual(priorities.toSorted((a, b) => a - b));
  return data.map(({ name }) => name);
};
const makeAll = async (...names: string[]) => {
  for (const name of names) await make(name);
};

describe("the order of tags", () => {
  it("gives a new tag the highest priority, above the tags that its own rules create [S3.6]", async () => {
    await makeAll("t:1", "t:2");
    await make("t:3", { firewallRules: [{ protocol: "ANY", allowedTags: ["t:4", "t:5"] }] });
    expect(await ordered()).toEqual(["t:1", "t:2", "t:4", "t:5", "t:3"]);
  });

  it("puts a new tag directly before or after the specified tag", async () => {
    await makeAll("t:1", "t:2", "t:3");
    await make("t:low", { before: "t:1" });
    await make("t:mid", { after: "t:2" });
    await make("t:high", { after: "t:3" });
    await make("t:first", { before: "t:low", firewallRules: [{ protocol: "ANY", allowedTags: ["t:top"] }] });
    expect(await ordered()).toEqual(["t:first", "t:low", "t:1", "t:2", "t:mid", "t:3", "t:high", "t:top"]);
  });

  it.each([
    ["t:1", { after: "t:5" }, "2 3 4 5 1"],
    ["t:1", { before: "t:5" }, "2 3 4 1 5"],
    ["t:5", { before: "t:1" }, "5 1 2 3 4"],
    ["t:5", { after: "t:1" }, "1 5 2 3 4"],
    ["t:3", { after: "t:2" }, "1 2 3 4 5"],
    ["t:3", { before: "t:4" }, "1 2 3 4 5"],
    ["t:4", { before: "t:3" }, "1 2 4 3 5"],
    ["t:2", { after: "t:3" }, "1 3 2 4 5"],
  ])("is correct after %s is moved with %j", async (tag, place, expected) => {
    await makeAll("t:1", "t:2", "t:3", "t:4", "t:5");
    const { priority } = await move(tag, place);
    expect((await ordered()).map((name) => name.slice(2)).join(" ")).toBe(expected);
    expect((await owner.call(getTag, { params: { tag } })).priority).toBe(priority);
    await move(tag, place);
    expect((await ordered()).map((name) => name.slice(2)).join(" ")).toBe(expected);
  });

  it("fills gaps when a tag is inserted, and moves no more tags than needed", async () => {
    await makeAll("t:1", "t:2", "t:3", "t:4", "t:5");
    await owner.call(deleteTag, { params: { tag: "t:4" } });
    const five = await owner.call(getTag, { params: { tag: "t:5" } });
    await make("t:new", { after: "t:1" });
    expect(await ordered()).toEqual(["t:1", "t:new", "t:2", "t:3", "t:5"]);
    expect(await owner.call(getTag, { params: { tag: "t:5" } })).toEqual(five);
  });

  it("changes with one audit entry per move, for the moved tag", async () => {
    await makeAll("t:1", "t:2", "t:3");
    await move("t:3", { before: "t:1" });
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetType": "tag" } });
    expect(data).toHaveLength(4);
    expect(data[0]).toMatchObject({
      target: { id: "t:3" },
      event: { type: "UPDATED", before: { priority: 3 }, after: { priority: 1 } },
    });
  });

  it("rejects two positions, and positions next to an unknown tag, itself or another organization's tag", async () => {
    await makeAll("t:1", "t:2");
    const stranger = await server.signUp();
    await stranger.call(createTag, { body: { name: "their:tag" } });
    const attempts = [(body: object) => make("t:new", body), (body: object) => move("t:2", body)];
    for (const attempt of attempts) {
      expect(await errorsOf(attempt({ before: "t:1", after: "t:1" }))).toMatchObject([
        { code: "ERR_INVALID_VALUE", path: "before" },
        { code: "ERR_INVALID_VALUE", path: "after" },
      ]);
      for (const path of ["before", "after"])
        for (const name of ["no:such", "their:tag", "", "t:new"])
          expect(await errorsOf(attempt({ [path]: name }))).toMatchObject([
            { code: "ERR_INVALID_REFERENCE", path },
          ]);
    }
    for (const path of ["before", "after"])
      expect(await errorsOf(move("t:2", { [path]: "t:2" }))).toMatchObject([
        { code: "ERR_INVALID_REFERENCE", path },
      ]);
    expect(await ordered()).toEqual(["t:1", "t:2"]);
  });
});

describe("concurrent requests", () => {
  it("give each of twenty new tags a unique priority", async () => {
    await makeAll("t:base");
    const names = Array.from({ length: 20 }, (_, index) => `t:${index}`);
    await Promise.all(
      names.map((name, index) => make(name, [{}, { before: "t:base" }, { after: "t:base" }][index % 3])),
    );
    const order = await ordered();
    const base = order.indexOf("t:base");
    expect(order.toSorted()).toEqual(["t:base", ...names].sort());
    for (const [index, name] of names.entries())
      if (index % 3 === 1) expect(order.indexOf(name)).toBeLessThan(base);
      else expect(order.indexOf(name)).toBeGreaterThan(base);
  });

  it("move, create and delete tags while hosts add and remove them, without deadlocks", async () => {
    // Without a host limit, these requests wait for each other only because of the tags.
    await server.query("update organizations set plan = 'pro' where id = $1", [owner.organizationID]);
    const names = Array.from({ length: 6 }, (_, index) => `t:${index}`);
    await makeAll(...names);
    const network = await owner.call(createNetwork, { body: { name: "Busy" } });
    const host = async (name: string, tags: string[]) => {
      const { id } = await owner.call(createHostV2, { body: { name, networkID: network.id, tags } });
      await owner.call(updateHostV3, { params: { hostID: id }, body: { tags: tags.toReversed().slice(1) } });
    };
    const requests: (() => Promise<unknown>)[] = [];
    for (let round = 0; round < 5; round++)
      requests.push(
        () => move("t:5", { before: `t:${round}` }),
        () => move("t:0", { after: `t:${5 - round}` }),
        () => host(`Up ${round}`, ["t:5", "t:1", "t:0", `new:${round}`]),
        () => host(`Down ${round}`, [`new:${round}`, "t:0", "t:3", "t:5"]),
        () =>
          make(`made:${round}`, { before: "t:3", firewallRules: [{ protocol: "ANY", allowedTags: names }] }),
        () => owner.call(deleteTag, { params: { tag: `new:${round}` } }).catch(() => undefined),
      );
    await Promise.all(requests.map((request) => request()));
    expect(await ordered()).toEqual(expect.arrayContaining(names));
  });
});

describe("a transaction that uses tags", () => {
  it.each([
    ["t:2", { before: "t:1" }],
    ["t:1", { before: "t:2" }],
  ])("can lock another tag while a move of %s waits", async (tag, place) => {
    await makeAll("t:1", "t:2");
    const author = {
      organizationID: owner.organizationID,
      actor: { type: "user", id: owner.userID, email: owner.email },
    } as const;
    let moving: Promise<unknown> = Promise.resolve();
    await server.ctx.audited(async (tx) => {
      await ensureTags(tx, { author, names: ["t:1"], now: new Date() });
      moving = move(tag, place);
      await expect.poll(() => server.countLockWaits()).toBeGreaterThan(0);
      await ensureTags(tx, { author, names: ["t:2"], now: new Date() });
      return done(
        {},
        { ...author, target: { type: "tag", id: tag }, event: "UPDATED", before: null, after: null },
      );
    });
    await moving;
    expect(await ordered()).toEqual(tag === "t:1" ? ["t:1", "t:2"] : ["t:2", "t:1"]);
  });
});
