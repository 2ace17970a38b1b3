import {
  createRole,
  createTag,
  deleteTag,
  getTag,
  listAuditLogs,
  listTags,
  NotFoundError,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { done } from "../../infrastructure/db/audited.ts";
import { errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { ensureTags } from "./ensure-tags.service.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
});
afterAll(() => server.close());

const rule = (...allowedTags: string[]) => ({ protocol: "ANY", allowedTags }) as const;
let roleCount = 0;
const createRoleWithTags = (...allowedTags: string[]) =>
  owner.call(createRole, { body: { name: `Role ${++roleCount}`, firewallRules: [rule(...allowedTags)] } });
const eventsOf = async (tag: string) => {
  const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": tag } });
  return data.map(({ event }) => event);
};

describe("a missing tag in a rule", () => {
  it("is created empty, with the highest priority and its own audit entry", async () => {
    const below = await owner.call(createTag, { body: { name: "named:below", description: "Kept" } });
    await createRoleWithTags("named:b", "named:below", "named:a", "named:b");
    const bare = { description: "", configOverrides: [], routeSubscriptions: [], firewallRules: [] };
    for (const [tag, priority] of [
      ["named:b", below.priority + 1],
      ["named:a", below.priority + 2],
    ] as const) {
      const counts = { firewallRulesCount: 0, hostCount: 0 };
      expect(await owner.call(getTag, { params: { tag } })).toEqual({
        name: tag,
        priority,
        ...bare,
        ...counts,
      });
      expect(await eventsOf(tag)).toEqual([{ type: "CREATED", before: null, after: { ...bare, priority } }]);
    }
    expect(await owner.call(getTag, { params: { tag: "named:below" } })).toEqual(below);
    expect(await eventsOf("named:below")).toHaveLength(1);
  });

  it("is not created if the request is rejected", async () => {
    const firewallRules = [{ ...rule("named:never"), allowedRoleID: "role-none" }];
    await errorsOf(owner.call(createRole, { body: { name: "Refused", firewallRules } }));
    await expect(owner.call(getTag, { params: { tag: "named:never" } })).rejects.toBeInstanceOf(
      NotFoundError,
    );
    expect(await eventsOf("named:never")).toEqual([]);
  });

  it("is created once, also with twenty concurrent requests that share it", async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        createRoleWithTags("once:shared", `once:${index}`, `once:${(index + 1) % 20}`),
      ),
    );
    expect(await eventsOf("once:shared")).toHaveLength(1);
    const { data } = await owner.call(listTags, { query: { "filter.search": "once:", pageSize: 500 } });
    expect(data).toHaveLength(21);
    expect(new Set(data.map(({ priority }) => priority)).size).toBe(21);
  });

  it("is created again if it is deleted concurrently", async () => {
    const tag = "named:again";
    for (let round = 0; round < 5; round++) {
      const role = await owner.call(createRole, { body: { name: `Again ${round}` } });
      await server.query("delete from tags where name = $1", [tag]);
      await owner.call(createTag, { body: { name: tag } });
      const [creation] = await Promise.allSettled([
        createRoleWithTags(tag, `named:again-${round}`),
        owner.call(deleteTag, { params: { tag } }),
      ]);
      expect(creation.status).toBe("fulfilled");
      expect((await owner.call(getTag, { params: { tag } })).name).toBe(tag);
      await server.query("update roles set firewall_rules = '[]' where id <> $1", [role.id]);
    }
  });
});

describe("ensuring tags", () => {
  const author = () =>
    ({
      organizationID: owner.organizationID,
      actor: { type: "user", id: owner.userID, email: owner.email },
    }) as const;

  it("changes nothing if all tags exist or the list is empty", async () => {
    await createRoleWithTags("known:one", "known:two");
    const entry = {
      ...author(),
      target: { type: "tag", id: "none" },
      event: "UPDATED",
      before: null,
    } as const;
    for (const names of [[], ["known:two", "known:one", "known:two"]]) {
      const entries = await server.ctx.audited(async (tx) =>
        done(await ensureTags(tx, { author: author(), names, now: new Date() }), { ...entry, after: null }),
      );
      expect(entries).toEqual([]);
    }
  });
});
