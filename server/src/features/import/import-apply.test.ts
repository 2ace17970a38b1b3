import {
  applyImport,
  createRole,
  createTag,
  deleteRole,
  listAuditLogs,
  listRoles,
  planImport,
  type Scope,
  updateRole,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { done } from "../../infrastructure/db/audited.ts";
import { errorsOf } from "../../testing/request-errors.ts";
import { insertApiKey } from "../../testing/api-keys.ts";
import { HOUR_MS, startTestServer, type TestServer } from "../../testing/server.ts";
import { createImporter, EVERYTHING, type Importer } from "../../testing/importer.ts";

let server: TestServer;
let me: Importer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  me = await createImporter(server);
});

const scopesOf = ({ access }: typeof applyImport): Scope[] => [...access.scopes];

describe("applying", () => {
  const one = "hosts: [{name: a, network: Main}]";
  const noSuchPlan = [
    {
      code: "ERR_INVALID_VALUE",
      path: "planToken",
      message: "plan not found: it was already used, has expired or belongs to another organization",
    },
  ];

  const noLongerFits = [
    { code: "ERR_INVALID_VALUE", path: "planToken", message: "the plan is out of date: create a new one" },
  ];

  it("happens once, and for its own organization only", async () => {
    const planned = await me.planYaml(one);
    const stranger = await createImporter(server);
    expect(await errorsOf(stranger.apply(planned))).toEqual(noSuchPlan);
    expect(await me.apply(planned)).toEqual({ created: 1, changed: 0 });
    expect(await errorsOf(me.apply(planned))).toEqual(noSuchPlan);
    expect(await errorsOf(me.apply({ ...planned, planToken: "rubbish" }))).toEqual(noSuchPlan);
    expect(await me.hosts()).toHaveLength(1);
  });

  it("happens once with five concurrent requests", async () => {
    const planned = await me.planYaml(EVERYTHING);
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => me.apply(planned)));
    const failures = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(failures.map(({ reason }) => reason.errors)).toEqual(Array.from({ length: 4 }, () => noSuchPlan));
    expect(await me.hosts()).toHaveLength(3);
  });

  it("is possible for an hour", async () => {
    const frozen = await startTestServer({ frozen: true });
    try {
      const importer = await createImporter(frozen);
      const [first, second] = [await importer.planYaml(one), await importer.planYaml("roles: [{name: Ops}]")];
      frozen.advance(HOUR_MS - 1);
      expect(await importer.apply(second)).toEqual({ created: 1, changed: 0 });
      frozen.advance(1);
      expect(await errorsOf(importer.apply(first))).toEqual(noSuchPlan);
    } finally {
      await frozen.close();
    }
  });

  it.each([
    ["a host was created", () => me.addHost({ name: "a" })],
    ["the address is in use", () => me.addHost({ name: "other", ipAddresses: ["10.1.0.5"] })],
    [
      "the role was deleted",
      async () => me.call(deleteRole, { params: { roleID: (await me.roleNamed("Ops"))!.id } }),
    ],
    [
      "the role was changed",
      async () =>
        me.call(updateRole, {
          params: { roleID: (await me.roleNamed("Ops"))!.id },
          body: { description: "New" },
        }),
    ],
    ["the tag was created", () => me.call(createTag, { body: { name: "a:b" } })],
  ])("is rejected when the plan is out of date: %s", async (_what, change) => {
    await me.call(createRole, { body: { name: "Ops" } });
    const planned = await me.planYaml(`
roles: [{name: Ops, description: New}, {name: Other}]
tags: [{name: "a:b", description: Mine}]
hosts: [{name: a, network: Main, role: Ops}, {name: b, network: Main, ipAddress: 10.1.0.5}]
`);
    await change();
    const before = await me.entries();
    const names = (await me.hosts()).map(({ name }) => name);
    expect(await errorsOf(me.apply(planned))).toEqual(noLongerFits);
    expect(await me.entries()).toEqual(before);
    expect((await me.hosts()).map(({ name }) => name)).toEqual(names);
    expect(await me.roleNamed("Other")).toBeUndefined();
  });

  it("is rejected when a role of the same name is created concurrently", async () => {
    const planned = await me.planYaml("roles: [{name: Ops}]\nhosts: [{name: a, network: Main}]");
    const { organizationID } = me.session;
    let rejected: Promise<unknown> = Promise.resolve();
    await server.ctx.audited(async (tx) => {
      const [id, now] = [newId("role"), new Date()];
      const row = { id, organization_id: organizationID, name: "OPS", description: "", firewall_rules: "[]" };
      await tx
        .insertInto("roles")
        .values({ ...row, created_at: now, modified_at: now })
        .execute();
      rejected = errorsOf(me.apply(planned));
      await expect.poll(() => server.countLockWaits()).toBe(1);
      const target = { type: "role", id } as const;
      return done(
        {},
        { organizationID, actor: { type: "system" }, target, event: "CREATED", before: null, after: null },
      );
    });
    expect(await rejected).toEqual(noLongerFits);
    expect(await me.hosts()).toEqual([]);
  });

  it("works after changes that do not affect the plan", async () => {
    const planned = await me.planYaml(one);
    await me.addHost({ name: "other" });
    expect(await me.apply(planned)).toEqual({ created: 1, changed: 0 });
  });

  it("works with concurrent writes", async () => {
    const content = Array.from(
      { length: 5 },
      (_, index) =>
        `{name: r${index}, firewallRules: [{protocol: ANY, allowedRole: r${(index + 1) % 5}, allowedTags: ["t:${index}"]}]}`,
    );
    const plans = await Promise.all([
      me.planYaml(
        `roles: [${content.join()}]\ntags: [{name: "t:1", description: x}]\nhosts: [{name: a, network: Main, role: r1, tags: ["t:1"]}]`,
      ),
      me.planYaml(
        `roles: [${content.toReversed().join()}]\nhosts: [{name: b, network: Main, role: r2, tags: ["t:2"]}]`,
      ),
    ]);
    const outcomes = await Promise.allSettled([
      ...plans.map((planned) => me.apply(planned)),
      ...Array.from({ length: 5 }, (_, index) => me.call(createRole, { body: { name: `r${index}` } })),
      ...Array.from({ length: 5 }, (_, index) => me.addHost({ name: `h${index}`, tags: [`t:${index}`] })),
    ]);
    const failures = outcomes.filter((outcome) => outcome.status === "rejected");
    for (const { reason } of failures) expect(reason.response.status).toBe(400);
    const { data } = await me.call(listRoles);
    expect(data.filter(({ name }) => /^r\d$/.test(name))).toHaveLength(5);
  });

  it("requires an API key with all scopes that an import can use", async () => {
    const scopes = scopesOf(applyImport);
    const withKey = async (own: Scope[]) =>
      server.client((await insertApiKey(server, me.session, own)).token);
    const { planToken } = await (
      await withKey(scopes)
    )(planImport, { body: { format: "yaml", content: one } });
    for (const missing of scopes) {
      const call = await withKey(scopes.filter((scope) => scope !== missing));
      expect(await errorsOf(call(applyImport, { body: { planToken } }))).toEqual([
        { code: "ERR_FORBIDDEN", message: `the API key requires the scope ${missing}` },
      ]);
    }
    expect(await (await withKey(scopes))(applyImport, { body: { planToken } })).toMatchObject({ created: 1 });
    const { data } = await me.call(listAuditLogs, { query: { pageSize: 1 } });
    expect(data).toMatchObject([{ actor: { type: "apiKey" }, event: { type: "CREATED" } }]);
  });

  it("keeps at most ten plans of an organization", async () => {
    const first = await me.planYaml(one);
    for (let index = 0; index < 9; index++) await me.planYaml(one);
    const tenth = await me.planYaml(one);
    const rows = await server.query("select 1 from import_plans where organization_id = $1", [
      me.session.organizationID,
    ]);
    expect(rows).toHaveLength(10);
    expect(await errorsOf(me.apply(first))).toEqual(noSuchPlan);
    expect(await me.apply(tenth)).toEqual({ created: 1, changed: 0 });
  });

  it("stores only the hash of a plan's token", async () => {
    const { planToken } = await me.planYaml(one);
    const rows = await server.query("select import_plans::text as text from import_plans");
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(planToken);
  });
});
