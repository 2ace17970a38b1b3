import {
  checkGuarantee,
  createGuarantee,
  deleteGuarantee,
  getGuarantee,
  GUARANTEES_MAX,
  listGuarantees,
  resumeGuarantee,
  suspendGuarantee,
  updateGuarantee,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccessFleet } from "../../testing/access-fixture.ts";
import { insertApiKey } from "../../testing/api-keys.ts";
import {
  type GuaranteeFixture,
  noSsh,
  port,
  startGuaranteeServer,
} from "../../testing/guarantees-fixture.ts";
import { joinAs } from "../../testing/members.ts";
import { errorCodesOf, errorsOf, outcomeOf } from "../../testing/request-errors.ts";
import type { Session, TestServer } from "../../testing/server.ts";

let fixture: GuaranteeFixture;
let server: TestServer;
let owner: Session;
let fleet: AccessFleet;
let create: GuaranteeFixture["create"];
let inDays: GuaranteeFixture["inDays"];
beforeAll(async () => {
  fixture = await startGuaranteeServer();
  ({ server, owner, fleet, create, inDays } = fixture);
});
afterAll(() => fixture.server.close());

describe("a guarantee is rejected", () => {
  it("if it refers to something that the organization doesn't have, with every path", async () => {
    const stranger = await server.signUp();
    const existing = await create();
    const body = noSsh(fleet, { networkID: fleet.networkID });
    const expected = [
      ["ERR_INVALID_REFERENCE", "source.id"],
      ["ERR_INVALID_REFERENCE", "destination.id"],
      ["ERR_INVALID_REFERENCE", "networkID"],
    ];
    const strangers = [createGuarantee, checkGuarantee] as const;
    for (const endpoint of strangers) {
      const errors = await errorsOf(stranger.call(endpoint, { body }));
      expect(errors.map(({ code, path }) => [code, path])).toEqual(expected);
    }
    for (const type of ["tag", "host"] as const) {
      const params = { guaranteeID: existing.id };
      const unknown = noSsh(fleet, { destination: { type, id: "unknown:thing" } });
      expect(await errorsOf(owner.call(updateGuarantee, { params, body: unknown }))).toMatchObject([
        { code: "ERR_INVALID_REFERENCE", path: "destination.id" },
      ]);
    }
  });

  it("if its subnet or its ports are invalid", async () => {
    for (const cidr of ["192.168.5.1/24", "192.168.5.0", "fd00::1/8", ""])
      expect(await errorsOf(create({ destination: { type: "subnet", cidr } }))).toMatchObject([
        { code: "ERR_INVALID_VALUE", path: "destination.cidr" },
      ]);
    expect(await errorsOf(create({ protocol: "ICMP" }))).toMatchObject([{ path: "portRange" }]);
    expect(await errorsOf(create({ portRange: port(2, 1) }))).toMatchObject([{ path: "portRange" }]);
    expect(await errorsOf(create({ source: { type: "subnet" } as never }))).toMatchObject([
      { path: "source.type" },
    ]);
  });

  it("if there are too many, also with concurrent requests", async () => {
    const person = await server.signUp();
    const any = { type: "any" } as const;
    await server.query(
      `insert into guarantees (id, organization_id, type, source, destination, protocol, description, created_at,
          modified_at)
        select 'guarantee-' || substr(translate(upper(md5(n::text)), '0189', 'GHIJ'), 1, 26), $1, 'MUST_REACH',
          '{"type":"any"}', '{"type":"any"}', 'ANY', '', now(), now()
        from generate_series(1, $2::int) n`,
      [person.organizationID, GUARANTEES_MAX - 1],
    );
    const attempts = Array.from({ length: 4 }, () =>
      outcomeOf(create({ source: any, destination: any }, person)),
    );
    const limit = "ERR_LIMIT_EXCEEDED";
    expect((await Promise.all(attempts)).sort()).toEqual([limit, limit, limit, "done"]);
    expect(await errorsOf(create({ source: any, destination: any }, person))).toMatchObject([
      { code: limit, extra: { limit: GUARANTEES_MAX } },
    ]);
  });

  it("without permission: auditors and other keys only read", async () => {
    const { id } = await create();
    const params = { guaranteeID: id };
    const auditor = await joinAs(server, owner, "auditor");
    const body = noSsh(fleet);
    const suspension = { reason: "Migration", until: inDays(1) };
    const attempts = [
      auditor.call(createGuarantee, { body }),
      auditor.call(updateGuarantee, { params, body }),
      auditor.call(deleteGuarantee, { params }),
      auditor.call(suspendGuarantee, { params, body: suspension }),
      auditor.call(resumeGuarantee, { params }),
    ].map(outcomeOf);
    expect(new Set(await Promise.all(attempts))).toEqual(new Set(["ERR_FORBIDDEN"]));
    expect(await auditor.call(getGuarantee, { params })).toMatchObject({ id });
    expect(await auditor.call(checkGuarantee, { body })).toMatchObject({ state: "holds" });
    const { token } = await insertApiKey(server, owner, ["guarantees:list"]);
    const key = server.client(token);
    expect((await key(listGuarantees)).data.length).toBeGreaterThan(0);
    expect(await errorCodesOf(key(getGuarantee, { params }))).toEqual(["ERR_FORBIDDEN"]);
    expect(await errorCodesOf(key(checkGuarantee, { body }))).toEqual(["ERR_FORBIDDEN"]);
  });

  it("by another organization, which doesn't find it", async () => {
    const { id } = await create();
    const stranger = await server.signUp();
    const params = { guaranteeID: id };
    const any = { type: "any" } as const;
    const suspension = { reason: "Migration", until: inDays(1) };
    const attempts = [
      stranger.call(getGuarantee, { params }),
      stranger.call(updateGuarantee, { params, body: noSsh(fleet, { source: any, destination: any }) }),
      stranger.call(deleteGuarantee, { params }),
      stranger.call(suspendGuarantee, { params, body: suspension }),
      stranger.call(resumeGuarantee, { params }),
    ].map(outcomeOf);
    expect(new Set(await Promise.all(attempts))).toEqual(new Set(["ERR_NOT_FOUND"]));
    expect((await stranger.call(listGuarantees)).data).toEqual([]);
  });
});
