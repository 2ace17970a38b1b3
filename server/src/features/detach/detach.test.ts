import {
  createRole,
  createTag,
  deleteRole,
  deleteTag,
  getHostV2,
  getRole,
  getRoute,
  getTag,
  listAuditLogs,
  NotFoundError,
  updateHostV3,
} from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import {
  createUsedRole,
  createUsedTag,
  detach,
  fleet,
  logOf,
  owner,
  rule,
  rulesOf,
  server,
  useDetachServer,
} from "../../testing/detach-fixture.ts";
import { outcomeOf } from "../../testing/request-errors.ts";
import { TestAgent } from "../../testing/test-agent.ts";

useDetachServer();

const entryCount = async () => {
  const query = { pageSize: 1, includeCounts: true };
  return (await owner.call(listAuditLogs, { query })).metadata.totalCount;
};

describe("a tag that is deleted with detach", () => {
  it("is removed from hosts and rules, and a rule that nothing else restricts is removed", async () => {
    const { tag, host, role, other, route, kept } = await createUsedTag();
    expect(await owner.call(deleteTag, { params: { tag }, query: detach })).toEqual({});
    await expect(owner.call(getTag, { params: { tag } })).rejects.toBeInstanceOf(NotFoundError);
    expect((await owner.call(getHostV2, { params: { hostID: host.id } })).tags).toEqual(["team:web"]);
    expect((await owner.call(getRole, { params: { roleID: role.id } })).firewallRules).toEqual(kept);
    expect((await owner.call(getTag, { params: { tag: other.name } })).firewallRules).toEqual(kept);
    expect((await owner.call(getRoute, { params: { routeID: route.id } })).firewallRules).toEqual(
      rulesOf(kept),
    );
  });

  it("leaves one audit entry for each object that is changed", async () => {
    const { tag, host, role, other, route, firewallRules, kept } = await createUsedTag();
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

  it("is removed from the search text of hosts", async () => {
    const { tag, host } = await createUsedTag();
    const searchText = () => server.query("select search_text from hosts where id = $1", [host.id]);
    expect(JSON.stringify(await searchText())).toContain("prod");
    await owner.call(deleteTag, { params: { tag }, query: detach });
    expect(JSON.stringify(await searchText())).not.toContain("prod");
  });

  it("does not have to be in use", async () => {
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
    const { roleID, host, role, tag, route, kept } = await createUsedRole();
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

it("concurrent deletions and uses of a tag leave no dangling references", async () => {
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

it("two roles and a tag that are used together can be deleted concurrently", async () => {
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

it("only hosts whose configuration changes get an update", async () => {
  const { tag, host, role } = await createUsedTag();
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
