import { whoami } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { HOUR_MS } from "../server.ts";
import { changedTables, EMPTY_TABLE } from "./database-snapshot.ts";
import { type FuzzFixture, createFuzzFixture } from "./fuzz-fixture.ts";

let fixture: FuzzFixture;
beforeAll(async () => {
  fixture = await createFuzzFixture();
});
afterAll(() => fixture.close());

it("a snapshot finds every changed table, and no other", async () => {
  const { server, database, observe } = fixture;
  const empty = await database.read();
  const { organizationID } = await server.signUp();
  const before = await observe();
  expect(changedTables(empty, before)).toEqual(
    expect.arrayContaining(["organizations", "users", "sessions", "roles", "audit_logs"]),
  );
  await server.query("update roles set description = 'changed' where organization_id = $1", [organizationID]);
  expect(changedTables(before, await database.read())).toEqual(["roles"]);
});

it("a snapshot ignores the time of last use and the sealing of audit entries", async () => {
  const { server, database } = fixture;
  const { call } = await server.signUp();
  const before = await database.read();
  const readIgnored = () =>
    Promise.all([
      server.query("select id, last_used_at from sessions order by id"),
      server.query("select id, sequence from audit_logs order by id"),
    ]);
  const [used, sealed] = await readIgnored();
  server.advance(2 * HOUR_MS);
  await call(whoami);
  while ((await server.ctx.seal()) > 0);
  const [usedSince, sealedSince] = await readIgnored();
  expect(usedSince).not.toEqual(used);
  expect(sealedSince).not.toEqual(sealed);
  expect(changedTables(before, await database.read())).toEqual([]);
});

it("a snapshot is empty after it is cleared", async () => {
  const { server, database } = fixture;
  await database.clear();
  const empty = await database.read();
  await server.signUp();
  await database.clear();
  expect(changedTables(empty, await database.read())).toEqual([]);
  expect([...empty.values()].every((checksum) => checksum === EMPTY_TABLE)).toBe(true);
});
