import { whoami } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { HOUR_MS } from "../server.ts";
import { changedTables, NOTHING } from "./database.ts";
import { type Laboratory, openLaboratory } from "./laboratory.ts";

let laboratory: Laboratory;
beforeAll(async () => {
  laboratory = await openLaboratory();
});
afterAll(() => laboratory.close());

it("shows every table that something was written to, and no other", async () => {
  const { server, database, observe } = laboratory;
  const empty = await database.read();
  const { organizationID } = await server.signUp();
  const before = await observe();
  expect(changedTables(empty, before)).toEqual(
    expect.arrayContaining(["organizations", "users", "sessions", "roles", "audit_logs"]),
  );
  await server.query("update roles set description = 'changed' where organization_id = $1", [organizationID]);
  expect(changedTables(before, await database.read())).toEqual(["roles"]);
});

it("does not show that somebody was there, nor that entries were sealed", async () => {
  const { server, database } = laboratory;
  const { call } = await server.signUp();
  const before = await database.read();
  const notes = () =>
    Promise.all([
      server.query("select id, last_used_at from sessions order by id"),
      server.query("select id, sequence from audit_logs order by id"),
    ]);
  const [used, sealed] = await notes();
  server.advance(2 * HOUR_MS);
  await call(whoami);
  while ((await server.ctx.seal()) > 0);
  const [usedSince, sealedSince] = await notes();
  expect(usedSince).not.toEqual(used);
  expect(sealedSince).not.toEqual(sealed);
  expect(changedTables(before, await database.read())).toEqual([]);
});

it("is as it was in the beginning when it has been cleared", async () => {
  const { server, database } = laboratory;
  await database.clear();
  const empty = await database.read();
  await server.signUp();
  await database.clear();
  expect(changedTables(empty, await database.read())).toEqual([]);
  expect([...empty.values()].every((figure) => figure === NOTHING)).toBe(true);
});
