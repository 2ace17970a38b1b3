import {
  checkGuarantee,
  createNetwork,
  createTag,
  deleteGuarantee,
  deleteTag,
  getGuarantee,
  listGuarantees,
  NotFoundError,
  resumeGuarantee,
  suspendGuarantee,
  updateGuarantee,
  updateRole,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccessFleet, createAccessFleet } from "../../testing/access-fixture.ts";
import {
  type GuaranteeFixture,
  noSsh,
  port,
  roleOf,
  startGuaranteeServer,
} from "../../testing/guarantees-fixture.ts";
import type { Session, TestServer } from "../../testing/server.ts";

let fixture: GuaranteeFixture;
let server: TestServer;
let owner: Session;
let fleet: AccessFleet;
let create: GuaranteeFixture["create"];
let entriesOf: GuaranteeFixture["entriesOf"];
beforeAll(async () => {
  fixture = await startGuaranteeServer();
  ({ server, owner, fleet, create, entriesOf } = fixture);
});
afterAll(() => fixture.server.close());

describe("a guarantee", () => {
  it("is created with all fields, and returned as created", async () => {
    const guarantee = await create({ networkID: fleet.networkID, description: " No SSH " });
    expect(guarantee).toMatchObject({
      type: "MUST_NEVER_REACH",
      source: roleOf(fleet, "web"),
      destination: roleOf(fleet, "database"),
      protocol: "TCP",
      portRange: port(22),
      networkID: fleet.networkID,
      description: "No SSH",
      suspension: null,
      state: "holds",
      failingSince: null,
      pairCount: 2,
      brokenPairCount: 0,
      counterexample: null,
      rejectedChangeCount: 0,
    });
    const params = { guaranteeID: guarantee.id };
    expect(await owner.call(getGuarantee, { params })).toEqual(guarantee);
    expect(await entriesOf(guarantee.id)).toMatchObject([
      {
        target: { type: "guarantee" },
        event: { type: "CREATED", before: null, after: { description: "No SSH", suspension: null } },
      },
    ]);
  });

  it("that doesn't hold is saved as failing, with a counterexample", async () => {
    const guarantee = await create({ portRange: port(5000, 6000) });
    expect(guarantee).toMatchObject({
      state: "failing",
      failingSince: guarantee.createdAt,
      pairCount: 2,
      brokenPairCount: 2,
      counterexample: {
        source: { name: expect.stringMatching(/^web-[12]$/) as string },
        destination: { host: { name: expect.stringMatching(/^database-[12]$/) as string } },
        traffic: { protocol: "TCP", portRange: port(5432) },
        rule: { source: { type: "role", id: fleet.roles.database, name: "Database" }, index: 0 },
      },
    });
  });

  it("follows the rules without being saved again", async () => {
    const person = await server.signUp();
    const { roles } = await createAccessFleet(server, person);
    const mustReach = {
      type: "MUST_REACH",
      source: { type: "role", id: roles.web },
      destination: { type: "role", id: roles.database },
      portRange: port(5432),
    } as const;
    const { id, state } = await create(mustReach, person);
    expect(state).toBe("holds");
    const params = { roleID: roles.database };
    const until = new Date(server.ctx.clock().getTime() + 60_000).toISOString();
    const guarantee = { params: { guaranteeID: id } };
    await person.call(suspendGuarantee, { ...guarantee, body: { reason: "Migration", until } });
    await person.call(updateRole, { params, body: { name: "Database", firewallRules: [] } });
    expect(await person.call(resumeGuarantee, guarantee)).toMatchObject({ state: "failing" });
    expect(await person.call(getGuarantee, guarantee)).toMatchObject({
      state: "failing",
      brokenPairCount: 2,
      counterexample: { rule: null },
    });
  });

  it("without hosts says so, also if what it refers to was deleted", async () => {
    await owner.call(createTag, { body: { name: "old:tag" } });
    const guarantee = await create({ source: { type: "tag", id: "old:tag" } });
    expect(guarantee).toMatchObject({ state: "noHosts", pairCount: 0 });
    await owner.call(deleteTag, { params: { tag: "old:tag" } });
    const params = { guaranteeID: guarantee.id };
    expect(await owner.call(getGuarantee, { params })).toMatchObject({ state: "noHosts" });
    const empty = await owner.call(createNetwork, { body: { name: "Empty" } });
    expect(await create({ networkID: empty.id })).toMatchObject({ state: "noHosts" });
  });

  it("is replaced completely by an update, and accepts its own output", async () => {
    const guarantee = await create({ portRange: port(5432), description: "Old" });
    const params = { guaranteeID: guarantee.id };
    const { modifiedAt: _, ...back } = await owner.call(updateGuarantee, { params, body: guarantee });
    expect(guarantee).toMatchObject(back);
    const held = await owner.call(updateGuarantee, { params, body: noSsh(fleet) });
    expect(held).toMatchObject({ state: "holds", failingSince: null, description: "", portRange: port(22) });
    const [entry] = await entriesOf(guarantee.id);
    expect(entry?.event).toMatchObject({
      type: "UPDATED",
      before: { description: "Old", portRange: port(5432) },
      after: { description: "", portRange: port(22) },
    });
  });

  it("is deleted", async () => {
    const { id } = await create();
    const params = { guaranteeID: id };
    expect(await owner.call(deleteGuarantee, { params })).toEqual({});
    await expect(owner.call(getGuarantee, { params })).rejects.toBeInstanceOf(NotFoundError);
    await expect(owner.call(deleteGuarantee, { params })).rejects.toBeInstanceOf(NotFoundError);
    expect(await entriesOf(id)).toMatchObject([{ event: { type: "DELETED", after: null } }, {}]);
  });

  it("counts the changes that it rejected in the last 30 days", async () => {
    const { id } = await create();
    await server.query(
      `insert into audit_logs (id, organization_id, created_at, actor, target_type, target_id, event_type)
        select 'log-' || gen_random_uuid(), $1, now() - days * interval '1 day', '{"type":"system"}', 'guarantee', $2,
          type
        from (values (1, 'REJECTED_CHANGE'), (29, 'REJECTED_CHANGE'), (31, 'REJECTED_CHANGE'), (1, 'UPDATED'))
          entries (days, type)`,
      [owner.organizationID, id],
    );
    expect(await owner.call(getGuarantee, { params: { guaranteeID: id } })).toMatchObject({
      rejectedChangeCount: 2,
    });
  });
});

describe("a check of a guarantee", () => {
  it("evaluates without saving", async () => {
    const before = (await owner.call(listGuarantees, { query: { includeCounts: true } })).metadata.totalCount;
    expect(await owner.call(checkGuarantee, { body: noSsh(fleet, { portRange: port(5432) }) })).toMatchObject(
      {
        state: "failing",
        pairCount: 2,
        brokenPairCount: 2,
        counterexample: { source: { name: expect.stringMatching(/^web-[12]$/) as string } },
      },
    );
    expect(await owner.call(checkGuarantee, { body: noSsh(fleet) })).toEqual({
      state: "holds",
      pairCount: 2,
      brokenPairCount: 0,
      counterexample: null,
    });
    const subnet = { type: "subnet", cidr: "192.168.5.0/24" } as const;
    const laptop = { type: "host", id: fleet.hosts.laptop } as const;
    const toOffice = noSsh(fleet, { source: laptop, destination: subnet, portRange: null });
    expect(await owner.call(checkGuarantee, { body: toOffice })).toMatchObject({
      state: "failing",
      counterexample: {
        destination: { host: null, address: "192.168.5.1" },
        rule: { source: { type: "route", name: "Office" } },
      },
    });
    const after = (await owner.call(listGuarantees, { query: { includeCounts: true } })).metadata.totalCount;
    expect(after).toBe(before);
  });
});
