/** All writers lock rows in the same order, so two of them never deadlock. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import type { Writer } from "./client.ts";
import { markLocks, recordLocked } from "./lock-order.ts";
import {
  lockAllNetworksForNoKeyUpdate,
  lockHostForNoKeyUpdate,
  lockNetworksForNoKeyUpdate,
  lockOrganizationForNoKeyUpdate,
  lockRolesForKeyShare,
  lockTagsForKeyShare,
} from "./locks.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
});
afterAll(() => server.close());

/** A row lock alone writes nothing, but PostgreSQL assigns a transaction ID: so the work ends in a rollback. */
class RolledBack extends Error {}

const inTransaction = (work: (tx: Writer) => Promise<unknown>) =>
  server.ctx
    .audited(async (tx) => {
      await work(tx);
      throw new RolledBack();
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });

it("locks rows in the order of the tables", async () => {
  const ordered = inTransaction(async (tx) => {
    await lockOrganizationForNoKeyUpdate(tx, owner.organizationID);
    await lockTagsForKeyShare(tx, owner.organizationID, ["env:prod"]);
    await lockRolesForKeyShare(tx, owner.organizationID, ["role-A"]);
    await lockAllNetworksForNoKeyUpdate(tx, owner.organizationID);
    await lockHostForNoKeyUpdate(tx, "host-A");
  });
  await expect(ordered).resolves.toBeUndefined();
});

it("throws in tests when a table is locked too late, and names both tables", async () => {
  const late = inTransaction(async (tx) => {
    await lockNetworksForNoKeyUpdate(tx, owner.organizationID, ["network-A"]);
    await lockTagsForKeyShare(tx, owner.organizationID, ["env:prod"]);
  });
  await expect(late).rejects.toThrow("Lock tags before networks");
});

it("allows a row to be locked again, including a row that the transaction inserted", () =>
  inTransaction(async (tx) => {
    await lockRolesForKeyShare(tx, owner.organizationID, ["role-A"]);
    recordLocked(tx, "roles", ["role-B"]);
    await lockHostForNoKeyUpdate(tx, "host-A");
    await lockRolesForKeyShare(tx, owner.organizationID, ["role-A", "role-B"]);
    await expect(lockRolesForKeyShare(tx, owner.organizationID, ["role-C"])).rejects.toThrow("before hosts");
  }));

it("forgets the locks that a rollback to a savepoint released", async () => {
  const unlocked = inTransaction(async (tx) => {
    await sql`savepoint before_hosts`.execute(tx);
    const forget = markLocks(tx, "hosts");
    await lockHostForNoKeyUpdate(tx, "host-A");
    await sql`rollback to savepoint before_hosts`.execute(tx);
    forget();
    await lockRolesForKeyShare(tx, owner.organizationID, ["role-A"]);
  });
  await expect(unlocked).resolves.toBeUndefined();
});

it("orders locks per transaction, not across transactions", async () => {
  await inTransaction((tx) => lockHostForNoKeyUpdate(tx, "host-A"));
  const next = inTransaction((tx) => lockTagsForKeyShare(tx, owner.organizationID, ["env:prod"]));
  await expect(next).resolves.toBeUndefined();
});

it("only the lock module waits for row locks", () => {
  const directory = join(import.meta.dirname, "../..");
  const waits =
    /\.for(?:Update|NoKeyUpdate|Share|KeyShare)\(|\bfor (?:no key update|update|key share|share)\b/;
  const found = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/\.test\.ts$|^testing|migrations|db\/lock/.test(name))
    .flatMap((name) => {
      const lines = readFileSync(join(directory, name), "utf8").split("\n");
      // A claim that skips locked rows never waits.
      const isWaiting = (index: number) => !/skip ?locked/i.test(lines.slice(index, index + 3).join(" "));
      return lines.flatMap((line, index) =>
        waits.test(line) && isWaiting(index) ? [`${name}: ${line.trim()}`] : [],
      );
    });
  expect(found).toEqual([]);
});
