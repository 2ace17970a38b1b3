import {
  getGuarantee,
  resumeGuarantee,
  suspendGuarantee,
  SUSPENSION_DAYS_MAX,
  updateRole,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAccessFleet } from "../../testing/access-fixture.ts";
import { type GuaranteeFixture, port, startGuaranteeServer } from "../../testing/guarantees-fixture.ts";
import { errorsOf } from "../../testing/request-errors.ts";
import type { Session, TestServer } from "../../testing/server.ts";

let fixture: GuaranteeFixture;
let server: TestServer;
let owner: Session;
let create: GuaranteeFixture["create"];
let entriesOf: GuaranteeFixture["entriesOf"];
let inDays: GuaranteeFixture["inDays"];
beforeAll(async () => {
  fixture = await startGuaranteeServer();
  ({ server, owner, create, entriesOf, inDays } = fixture);
});
afterAll(() => fixture.server.close());

describe("a suspension", () => {
  const suspend = (id: string, until: string, reason = "Migration") =>
    owner.call(suspendGuarantee, { params: { guaranteeID: id }, body: { reason, until } });

  it("has a reason and an end, and can be ended early", async () => {
    const { id } = await create();
    const until = inDays(SUSPENSION_DAYS_MAX - 1);
    expect(await suspend(id, until)).toMatchObject({
      state: "suspended",
      suspension: { reason: "Migration", until },
      pairCount: 2,
    });
    const params = { guaranteeID: id };
    expect(await owner.call(resumeGuarantee, { params })).toMatchObject({ state: "holds", suspension: null });
    // Ending it again changes nothing.
    expect(await owner.call(resumeGuarantee, { params })).toMatchObject({ state: "holds", suspension: null });
    expect(await entriesOf(id)).toMatchObject([
      { event: { type: "UPDATED", before: { suspension: { until } }, after: { suspension: null } } },
      {
        event: {
          type: "UPDATED",
          before: { suspension: null },
          after: { suspension: { reason: "Migration" } },
        },
      },
      { event: { type: "CREATED" } },
    ]);
  });

  it("ends at its date", async () => {
    const { id } = await create({ portRange: port(5432) });
    await suspend(id, inDays(1));
    const read = () => owner.call(getGuarantee, { params: { guaranteeID: id } });
    expect(await read()).toMatchObject({ state: "suspended", brokenPairCount: 2 });
    await server.query("update guarantees set suspended_until = $2 where id = $1", [id, inDays(-1)]);
    expect(await read()).toMatchObject({ state: "failing", suspension: null });
  });

  it("must end in the future, within some days, and needs a reason", async () => {
    const { id } = await create();
    for (const until of [inDays(-1), inDays(SUSPENSION_DAYS_MAX + 1)])
      expect(await errorsOf(suspend(id, until))).toMatchObject([
        { code: "ERR_INVALID_VALUE", path: "until" },
      ]);
    expect(await errorsOf(suspend(id, inDays(1), " "))).toMatchObject([{ path: "reason" }]);
    expect(await owner.call(getGuarantee, { params: { guaranteeID: id } })).toMatchObject({
      suspension: null,
    });
  });

  it("that ends with a broken guarantee starts the failure", async () => {
    const person = await server.signUp();
    const { roles } = await createAccessFleet(server, person);
    const { id } = await create(
      { source: { type: "role", id: roles.web }, destination: { type: "role", id: roles.database } },
      person,
    );
    const params = { guaranteeID: id };
    await person.call(suspendGuarantee, { params, body: { reason: "Migration", until: inDays(1) } });
    await person.call(updateRole, {
      params: { roleID: roles.database },
      body: { name: "Database", firewallRules: [{ protocol: "TCP", portRange: port(22) }] },
    });
    const resumed = await person.call(resumeGuarantee, { params });
    expect(resumed).toMatchObject({ state: "failing", failingSince: resumed.modifiedAt });
  });
});
