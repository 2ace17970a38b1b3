/** Tests the references of firewall rules to roles and tags. */
import {
  createRole,
  createRoute,
  createTag,
  deleteRole,
  deleteRoute,
  deleteTag,
  getRole,
  getTag,
  listAuditLogs,
  listRoles,
  updateRole,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { done } from "../../infrastructure/db/audited.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { ensureRuleReferences } from "../tags/rule-references.service.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
});
afterAll(() => server.close());

interface RuleOwner {
  create: (firewallRules: object[]) => Promise<unknown>;
  remove: () => Promise<unknown>;
}

let objectCount = 0;
const ssh = { protocol: "TCP", portRange: { from: 22, to: 22 } };
const newRole = (body: object = {}) =>
  owner.call(createRole, { body: { name: `Role ${++objectCount}`, ...body } });

/** Creates a role, a tag or a route with the given rules, and deletes it. */
const kinds: Record<string, () => RuleOwner> = {
  role: () => {
    let roleID = "";
    return {
      create: async (firewallRules) => (roleID = (await newRole({ firewallRules })).id),
      remove: () => owner.call(deleteRole, { params: { roleID } }),
    };
  },
  tag: () => {
    const tag = `naming:${++objectCount}`;
    return {
      create: (firewallRules) => owner.call(createTag, { body: { name: tag, firewallRules } as never }),
      remove: () => owner.call(deleteTag, { params: { tag } }),
    };
  },
  route: () => {
    let routeID = "";
    return {
      create: async (firewallRules) => {
        const body = { name: `Route ${++objectCount}`, firewallRules } as never;
        routeID = (await owner.call(createRoute, { body })).id;
      },
      remove: () => owner.call(deleteRoute, { params: { routeID } }),
    };
  },
};

describe.each(Object.keys(kinds))("the rules of a %s", (kind) => {
  const start = () => kinds[kind]!();

  it("prevent the role that they refer to from being deleted", async () => {
    const { id: roleID } = await newRole();
    const ruleOwner = start();
    await ruleOwner.create([ssh, { ...ssh, allowedRoleID: roleID }]);
    const attempt = () => owner.call(deleteRole, { params: { roleID } });
    expect(await errorCodesOf(attempt())).toEqual(["ERR_HAS_DEPENDENTS"]);
    await ruleOwner.remove();
    expect(await attempt()).toEqual({});
  });

  it("prevent the tag that they refer to from being deleted, and create it if it does not exist", async () => {
    const tag = `named:${++objectCount}`;
    const ruleOwner = start();
    await ruleOwner.create([ssh, { ...ssh, allowedTags: ["named:other", tag] }]);
    const attempt = () => owner.call(deleteTag, { params: { tag } });
    expect(await errorCodesOf(attempt())).toEqual(["ERR_HAS_DEPENDENTS"]);
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": tag } });
    expect(data.map(({ event }) => event.type)).toEqual(["CREATED"]);
    await ruleOwner.remove();
    expect(await attempt()).toEqual({});
  });

  it("can refer only to roles of their own organization, and every invalid reference is reported", async () => {
    const stranger = await server.signUp();
    const [theirs] = (await stranger.call(listRoles)).data;
    const { id: mine } = await newRole();
    const ids = [theirs?.id, mine, "role-none", theirs?.id];
    expect(await errorsOf(start().create(ids.map((allowedRoleID) => ({ ...ssh, allowedRoleID }))))).toEqual(
      [0, 2, 3].map((index) => ({
        code: "ERR_INVALID_REFERENCE",
        message: "the referenced object doesn't exist",
        path: `firewallRules[${index}].allowedRoleID`,
      })),
    );
  });

  it("never refer to a role or tag that is deleted concurrently", async () => {
    for (let round = 0; round < 5; round++) {
      const { id: roleID } = await newRole();
      const tag = `gone:${++objectCount}`;
      await owner.call(createTag, { body: { name: tag } });
      const ruleOwner = start();
      const [named, ...deleted] = await Promise.all(
        [
          ruleOwner.create([{ ...ssh, allowedRoleID: roleID, allowedTags: [tag] }]),
          owner.call(deleteRole, { params: { roleID } }),
          owner.call(deleteTag, { params: { tag } }),
        ].map(outcomeOf),
      );
      expect(["done", "ERR_INVALID_REFERENCE"]).toContain(named);
      for (const outcome of deleted) expect(["done", "ERR_HAS_DEPENDENTS"]).toContain(outcome);
      const role = await owner.call(getRole, { params: { roleID } }).catch(() => undefined);
      const isThere = await owner.call(getTag, { params: { tag } }).catch(() => undefined);
      expect(role !== undefined).toBe(named === "done");
      if (named === "done") expect(isThere?.name).toBe(tag);
    }
  });
});

describe("the role and tags that a rule refers to", () => {
  it("are locked from the lookup until the rule is stored", async () => {
    const [named, ruleOwner] = [await newRole(), await newRole()];
    const tag = `held:${++objectCount}`;
    await owner.call(createTag, { body: { name: tag } });
    const rules = [{ allowedRoleID: named.id, allowedTags: [tag] }];
    const author = {
      organizationID: owner.organizationID,
      actor: { type: "user", id: owner.userID, email: owner.email },
    } as const;
    let deletions: Promise<string[]>[] = [];
    await server.ctx.audited(async (tx) => {
      expect(await ensureRuleReferences(tx, { author, rules, now: new Date() })).toEqual([]);
      deletions = [
        errorCodesOf(owner.call(deleteRole, { params: { roleID: named.id } })),
        errorCodesOf(owner.call(deleteTag, { params: { tag } })),
      ];
      await expect.poll(() => server.countLockWaits()).toBe(2);
      await tx
        .updateTable("roles")
        .set({ firewall_rules: JSON.stringify(rules) })
        .where("id", "=", ruleOwner.id)
        .execute();
      const target = { type: "role", id: ruleOwner.id } as const;
      return done({}, { ...author, target, event: "UPDATED", before: null, after: null });
    });
    expect(await Promise.all(deletions)).toEqual([["ERR_HAS_DEPENDENTS"], ["ERR_HAS_DEPENDENTS"]]);
  });
});

describe("two roles", () => {
  it("can be changed concurrently to refer to each other", async () => {
    const roles = [await newRole(), await newRole()];
    for (let round = 0; round < 10; round++)
      await Promise.all(
        roles.map(({ id }, index) => {
          const firewallRules = [{ ...ssh, allowedRoleID: roles[1 - index]!.id }] as never;
          return owner.call(updateRole, { params: { roleID: id }, body: { firewallRules } });
        }),
      );
    for (const { id: roleID } of roles)
      expect(await errorCodesOf(owner.call(deleteRole, { params: { roleID } }))).toEqual([
        "ERR_HAS_DEPENDENTS",
      ]);
  });
});
