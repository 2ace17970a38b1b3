import {
  createRole,
  createTag,
  deleteRole,
  deleteTag,
  getRoleDependents,
  getTagDependents,
  NotFoundError,
  type Scope,
} from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import { insertApiKey } from "../../testing/api-keys.ts";
import {
  createUsedRole,
  createUsedTag,
  detach,
  fleet,
  logOf,
  owner,
  rulesOf,
  server,
  useDetachServer,
} from "../../testing/detach-fixture.ts";
import { joinAs } from "../../testing/members.ts";
import { errorsOf, errorCodesOf } from "../../testing/request-errors.ts";

useDetachServer();

describe("the preview", () => {
  it("shows each rule before and after, and how many hosts lose the tag", async () => {
    const { tag, host, role, other, route, firewallRules, kept } = await createUsedTag();
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

  it("exists for a role too, and is not found by another organization", async () => {
    const { roleID } = await createUsedRole();
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
  /** Everything that `detach` can change. */
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

  it("by an invalid value of detach, or without detach", async () => {
    const { tag } = await createUsedTag();
    const { roleID } = await owner
      .call(createRole, { body: { name: "Used" } })
      .then(({ id }) => ({ roleID: id }));
    await fleet.add({ roleID });
    await expectUnchanged(async () => {
      const query = { detach: "maybe" } as never;
      const rejected = [{ code: "ERR_INVALID_VALUE", path: "detach" }];
      expect(await errorsOf(owner.call(deleteTag, { params: { tag }, query }))).toMatchObject(rejected);
      expect(await errorsOf(owner.call(deleteRole, { params: { roleID }, query }))).toMatchObject(rejected);
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

  it("by an auditor or by another organization", async () => {
    const { tag, role } = await createUsedTag();
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

  it("by an API key that lacks one of the required scopes", async () => {
    const { tag } = await createUsedTag();
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
    const { tag } = await createUsedTag();
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
