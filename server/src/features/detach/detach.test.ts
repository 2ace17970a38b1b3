import {
  createRole,
  createRoute,
  createTag,
  deleteRole,
  deleteTag,
  getHostV2,
  getRole,
  getRoleDependents,
  getRoute,
  getTag,
  getTagDependents,
  listAuditLogs,
  NotFoundError,
  type Scope,
  updateHostV3,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createFleet, type Fleet } from "../../testing/fleet.ts";
import { joinAs } from "../../testing/members.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { insertApiKey } from "../../testing/api-keys.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { TestAgent } from "../../testing/test-agent.ts";

let server: TestServer;
let owner: Session;
let fleet: Fleet;
beforeAll(async () => {
  server = await startTestServer({ agentHoldMs: 50 });
});
afterAll(() => server.close());
beforeEach(async () => {
  owner = await server.signUp();
  fleet = await createFleet(server, owner);
});

const rule = (port: number, more: object = {}) => ({
  protocol: "TCP" as const,
  portRange: { from: port, to: port },
  description: "",
  allowedRoleID: null,
  ...more,
});
const detach = { detach: true };
const logOf = async (id: string, session = owner) =>
  (await session.call(listAuditLogs, { query: { "filter.targetID": id, pageSize: 500 } })).data;
const entryCount = async () => {
  const query = { pageSize: 1, includeCounts: true };
  return (await owner.call(listAuditLogs, { query })).metadata.totalCount;
};

/** A tag that a host has and that rules of a role, a tag and a route name, alone and with others. */
async function useTag() {
  const { id: opsID } = await owner.call(createRole, { body: { name: "Ops" } });
  const tag = "env:prod";
  const firewallRules = [
    rule(1, { allowedTags: [tag] }),
    rule(2, { allowedTags: [tag, "team:web"] }),
    rule(3, { allowedRoleID: opsID, allowedTags: [tag] }),
    rule(4),
  ];
  const kept = [
    rule(2, { allowedTags: ["team:web"] }),
    rule(3, { allowedRoleID: opsID, allowedTags: [] }),
    rule(4),
  ];
  const own = [rule(9, { allowedTags: [tag] })];
  await owner.call(createTag, { body: { name: tag, firewallRules: own } });
  const host = await fleet.add({ tags: ["team:web", tag], roleID: opsID });
  const role = await owner.call(createRole, { body: { name: "Web", firewallRules } });
  const other = await owner.call(createTag, { body: { name: "site:lab", firewallRules } });
  const route = await owner.call(createRoute, {
    body: { name: "Office", routerHostID: host.id, firewallRules },
  });
  return { tag, host, role, other, route, firewallRules, kept };
}

/** The same of a role. */
async function useRole() {
  const { id: roleID } = await owner.call(createRole, { body: { name: "Admin" } });
  const firewallRules = [
    rule(1, { allowedRoleID: roleID }),
    rule(2, { allowedRoleID: roleID, allowedTags: ["team:web"] }),
    rule(3, { allowedRoleID: roleID, allowedTags: [] }),
  ];
  const kept = [rule(2, { allowedTags: ["team:web"] })];
  const host = await fleet.add({ roleID });
  const role = await owner.call(createRole, { body: { name: "Web", firewallRules } });
  const tag = await owner.call(createTag, { body: { name: "site:lab", firewallRules } });
  const route = await owner.call(createRoute, { body: { name: "Office", firewallRules } });
  return { roleID, host, role, tag, route, kept };
}

const rulesOf = (rules: readonly object[]) => rules.map((one) => ({ ...one, localCIDR: "0.0.0.0/0" }));

describe("a tag that is deleted with detach", () => {
  it("is removed from hosts and rules, and a rule that nothing else restricts is removed", async () => {
    const { tag, host, role, other, route, kept } = await useTag();
    expect(await owner.call(deleteTag, { params: { tag }, query: detach })).toEqual({});
    await expect(owner.call(getTag, { params: { tag } })).rejects.toBeInstanceOf(NotFoundError);
    expect((await owner.call(getHostV2, { params: { hostID: host.id } })).tags).toEqual(["team:web"]);
    expect((await owner.call(getRole, { params: { roleID: role.id } })).firewallRules).toEqual(kept);
    expect((await owner.call(getTag, { params: { tag: other.name } })).firewallRules).toEqual(kept);
    expect((await owner.call(getRoute, { params: { routeID: route.id } })).firewallRules).toEqual(
      rulesOf(kept),
    );
  });

  it("leaves one audit entry for each thing it changes", async () => {
    const { tag, host, role, other, route, firewallRules, kept } = await useTag();
    const before = await entryCount();
    await owner.call(deleteTag, { params: { tag }, query: detach });
    expect(await entryCount()).toBe((before ?? 0) + 5);
    const actor = { type: "user", email: owner.email };
    const rules = { before: { firewallRules }, after: { firewallRules: kept } };
    const expected = [
      [tag, { type: "DELETED", before: { firewallRules: [{ portRange: { from: 9 } }] }, after: null }],
      [host.id, { type: "UPDATED", before: { tags: ["team:web", tag] }, after: { tags: ["team:web"] } }],
      [role.id, { type: "UPDATED", ...rules, after: { name: "Web", firewallRules: kept } }],
      [other.name, { type: "UPDATED", ...rules }],
      [route.id, { type: "UPDATED", before: { name: "Office" }, after: { firewallRules: rulesOf(kept) } }],
    ] as const;
    for (const [id, event] of expected) expect((await logOf(id))[0]).toMatchObject({ actor, event });
  });

  it("is found no more by a search for hosts", async () => {
    const { tag, host } = await useTag();
    const searchText = () => server.query("select search_text from hosts where id = $1", [host.id]);
    expect(JSON.stringify(await searchText())).toContain("prod");
    await owner.call(deleteTag, { params: { tag }, query: detach });
    expect(JSON.stringify(await searchText())).not.toContain("prod");
  });

  it("needs nothing to be in use", async () => {
    await owner.call(createTag, { body: { name: "un:used" } });
    expect(await owner.call(deleteTag, { params: { tag: "un:used" }, query: detach })).toEqual({});
    expect((await logOf("un:used")).map(({ event }) => event.type)).toEqual(["DELETED", "CREATED"]);
  });

  it("is removed from more hosts than one statement changes", async () => {
    await owner.call(createTag, { body: { name: "many:hosts" } });
    await fleet.addMany(4100);
    await server.query("update hosts set tags = '{many:hosts}' where network_id = $1", [fleet.networkID]);
    await owner.call(deleteTag, { params: { tag: "many:hosts" }, query: detach });
    const [left] = await server.query(
      "select count(*)::int as hosts from hosts where tags <> '{}' and network_id = $1",
      [fleet.networkID],
    );
    const [logged] = await server.query(
      "select count(*)::int as hosts from audit_logs where organization_id = $1 and target_type = 'host'",
      [owner.organizationID],
    );
    expect([left, logged]).toEqual([{ hosts: 0 }, { hosts: 4100 }]);
  });
});

describe("a role that is deleted with detach", () => {
  it("is removed from hosts and rules, and a rule that nothing else restricts is removed", async () => {
    const { roleID, host, role, tag, route, kept } = await useRole();
    const before = await entryCount();
    expect(await owner.call(deleteRole, { params: { roleID }, query: detach })).toEqual({});
    await expect(owner.call(getRole, { params: { roleID } })).rejects.toBeInstanceOf(NotFoundError);
    expect((await owner.call(getHostV2, { params: { hostID: host.id } })).roleID).toBeNull();
    expect((await owner.call(getRole, { params: { roleID: role.id } })).firewallRules).toEqual(kept);
    expect((await owner.call(getTag, { params: { tag: tag.name } })).firewallRules).toEqual(kept);
    expect((await owner.call(getRoute, { params: { routeID: route.id } })).firewallRules).toEqual(
      rulesOf(kept),
    );
    expect(await entryCount()).toBe((before ?? 0) + 5);
    expect((await logOf(roleID))[0]?.event).toMatchObject({ type: "DELETED", before: { name: "Admin" } });
    expect((await logOf(host.id))[0]?.event).toMatchObject({
      type: "UPDATED",
      before: { roleID },
      after: { roleID: null },
    });
  });
});

describe("the preview", () => {
  it("says what becomes of each rule, and how many hosts lose the tag", async () => {
    const { tag, host, role, other, route, firewallRules, kept } = await useTag();
    const rules = firewallRules
      .slice(0, 3)
      .map((before, index) => ({ before, after: index === 0 ? null : kept[index - 1] }));
    const routeRules = rules.map(({ before, after }) => ({
      before: rulesOf([before])[0],
      after: after ? rulesOf([after])[0] : null,
    }));
    expect(await owner.call(getTagDependents, { params: { tag } })).toEqual({
      hostCount: 1,
      hosts: [{ type: "host", id: host.id, name: host.name, networkID: fleet.networkID }],
      ruleCount: 9,
      removedRuleCount: 3,
      ruleOwnerCount: 3,
      ruleOwners: [
        { type: "role", id: role.id, name: "Web", rules },
        { type: "tag", id: other.name, name: other.name, rules },
        { type: "route", id: route.id, name: "Office", rules: routeRules },
      ],
      isUsedForDevices: false,
    });
  });

  it("of a role too; of another organization's there is none", async () => {
    const { roleID } = await useRole();
    const stranger = await server.signUp();
    expect(await owner.call(getRoleDependents, { params: { roleID } })).toMatchObject({
      hostCount: 1,
      ruleCount: 9,
      removedRuleCount: 6,
    });
    for (const call of [
      stranger.call(getRoleDependents, { params: { roleID } }),
      stranger.call(getTagDependents, { params: { tag: "team:web" } }),
    ])
      await expect(call).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe("nothing is changed", () => {
  /** All that `detach` could change. */
  const stateOf = (organizationID: string) =>
    Promise.all(
      ["hosts", "roles", "tags", "routes", "audit_logs"].map((table) =>
        server.query(
          `select to_jsonb(one) - '{sequence,hash}'::text[] as row from ${table} one
            where organization_id = $1 order by 1`,
          [organizationID],
        ),
      ),
    );
  async function expectUnchanged(work: () => Promise<unknown>): Promise<void> {
    const before = await stateOf(owner.organizationID);
    await work();
    expect(await stateOf(owner.organizationID)).toEqual(before);
  }

  it("by a value that is neither true nor false, nor without it", async () => {
    const { tag } = await useTag();
    const { roleID } = await owner
      .call(createRole, { body: { name: "Used" } })
      .then(({ id }) => ({ roleID: id }));
    await fleet.add({ roleID });
    await expectUnchanged(async () => {
      const query = { detach: "maybe" } as never;
      const refused = [{ code: "ERR_INVALID_VALUE", path: "detach" }];
      expect(await errorsOf(owner.call(deleteTag, { params: { tag }, query }))).toMatchObject(refused);
      expect(await errorsOf(owner.call(deleteRole, { params: { roleID }, query }))).toMatchObject(refused);
      for (const none of [undefined, { detach: false }]) {
        const options = none && { query: none };
        expect(await errorCodesOf(owner.call(deleteTag, { params: { tag }, ...options }))).toEqual([
          "ERR_HAS_DEPENDENTS",
        ]);
        expect(await errorCodesOf(owner.call(deleteRole, { params: { roleID }, ...options }))).toEqual([
          "ERR_HAS_DEPENDENTS",
        ]);
      }
    });
  });

  it("by an auditor, nor from another organization", async () => {
    const { tag, role } = await useTag();
    const auditor = await joinAs(server, owner, "auditor");
    const stranger = await server.signUp();
    await expectUnchanged(async () => {
      for (const [session, code] of [
        [auditor, "ERR_FORBIDDEN"],
        [stranger, "ERR_NOT_FOUND"],
      ] as const) {
        const ofTag = await errorCodesOf(session.call(deleteTag, { params: { tag }, query: detach }));
        const params = { roleID: role.id };
        const ofRole = await errorCodesOf(session.call(deleteRole, { params, query: detach }));
        expect([ofTag, ofRole]).toEqual([[code], [code]]);
      }
    });
  });

  it("by an API key that lacks one of the scopes of what is updated", async () => {
    const { tag } = await useTag();
    const needed: Scope[] = ["tags:delete", "hosts:update", "roles:update", "tags:update", "routes:update"];
    const keyWith = async (scopes: Scope[]) =>
      server.client((await insertApiKey(server, owner, scopes)).token);
    for (const missing of needed) {
      const call = await keyWith(needed.filter((scope) => scope !== missing));
      await expectUnchanged(async () =>
        expect(await errorsOf(call(deleteTag, { params: { tag }, query: detach }))).toMatchObject([
          { code: "ERR_FORBIDDEN", message: `the API key requires the scope ${missing}` },
        ]),
      );
    }
    await owner.call(createTag, { body: { name: "un:used" } });
    const deleting = await keyWith(["tags:delete"]);
    expect(await deleting(deleteTag, { params: { tag: "un:used" } })).toEqual({});
    const all = await keyWith(needed);
    expect(await all(deleteTag, { params: { tag }, query: detach })).toEqual({});
    expect((await logOf("site:lab"))[0]?.actor.type).toBe("apiKey");
  });

  it("by a deletion that fails at the end", async () => {
    const { tag } = await useTag();
    await server.query(`
      create function fail_deletion() returns trigger language plpgsql as $$
        begin raise exception 'no'; end $$;
      create trigger fail_deletion before delete on tags for each row execute function fail_deletion()`);
    try {
      await expectUnchanged(async () =>
        expect(await errorCodesOf(owner.call(deleteTag, { params: { tag }, query: detach }))).toEqual([
          "ERR_INTERNAL_SERVER_ERROR",
        ]),
      );
    } finally {
      await server.query("drop trigger fail_deletion on tags; drop function fail_deletion()");
    }
    expect(await owner.call(deleteTag, { params: { tag }, query: detach })).toEqual({});
  });
});

it("two at once, and one that uses the tag meanwhile, come one after the other", async () => {
  for (let round = 0; round < 5; round++) {
    const tag = `busy:${round}`;
    const host = await fleet.add({ tags: [tag] });
    const late = await fleet.add();
    const firewallRules = [rule(1, { allowedTags: [tag] })];
    const role = (name: string) => outcomeOf(owner.call(createRole, { body: { name, firewallRules } }));
    await role(`Naming ${round}`);
    const deletion = () => outcomeOf(owner.call(deleteTag, { params: { tag }, query: detach }));
    const outcomes = await Promise.all([
      deletion(),
      outcomeOf(
        owner.call(updateHostV3, { params: { hostID: late.id }, body: { name: late.name, tags: [tag] } }),
      ),
      role(`Late ${round}`),
      deletion(),
    ]);
    expect(outcomes.filter((outcome) => !["done", "ERR_NOT_FOUND"].includes(outcome))).toEqual([]);
    expect(outcomes.slice(1, 3)).toEqual(["done", "done"]);
    expect((await owner.call(getHostV2, { params: { hostID: host.id } })).tags).toEqual([]);
    const [dangling] = await server.query(
      `select count(*)::int as count from (
         select unnest(tags) as tag, organization_id from hosts
         union select jsonb_array_elements_text(rule->'allowedTags'), organization_id
           from roles, jsonb_array_elements(firewall_rules) rule where rule ? 'allowedTags'
       ) used where organization_id = $1
         and not exists (select from tags where tags.organization_id = $1 and tags.name = used.tag)`,
      [owner.organizationID],
    );
    expect(dangling).toEqual({ count: 0 });
  }
});

it("two roles that name one another can be deleted at once", async () => {
  const one = await owner.call(createRole, { body: { name: "One" } });
  const firewallRules = [rule(1, { allowedRoleID: one.id, allowedTags: ["a:b"] })];
  const two = await owner.call(createRole, { body: { name: "Two", firewallRules } });
  await fleet.add({ roleID: one.id, tags: ["a:b"] });
  await fleet.add({ roleID: two.id, tags: ["a:b"] });
  const outcomes = await Promise.all([
    outcomeOf(owner.call(deleteRole, { params: { roleID: one.id }, query: detach })),
    outcomeOf(owner.call(deleteRole, { params: { roleID: two.id }, query: detach })),
    outcomeOf(owner.call(deleteTag, { params: { tag: "a:b" }, query: detach })),
  ]);
  expect(outcomes).toEqual(["done", "done", "done"]);
});

it("hosts get what changes for them, and nobody else gets anything", async () => {
  const { tag, host, role } = await useTag();
  const acceptsTag = await fleet.add({ roleID: role.id });
  const taggedRules = await fleet.add({ tags: ["site:lab"] });
  const bystander = await fleet.add({ tags: ["team:web"] });
  const agents = await Promise.all(
    [host, acceptsTag, taggedRules, bystander].map(({ id }) => TestAgent.enrollHost(server.url, owner, id)),
  );
  expect(await Promise.all(agents.map((agent) => agent.hasUpdate()))).toEqual([false, false, false, false]);
  await owner.call(deleteTag, { params: { tag }, query: detach });
  expect(await Promise.all(agents.map((agent) => agent.hasUpdate()))).toEqual([true, true, true, false]);
});
