/** A database that isn't the primary: a standby that was reached by mistake, or a primary that was demoted. */
import { createNetwork, listNetworks } from "@lightkeeper/contract";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { rawRequest } from "../raw-request.ts";
import { requestErrorOf } from "../request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";

let server: TestServer;
let owner: Session;
beforeEach(async () => {
  server = await startTestServer();
  owner = await server.signUp();
});
afterEach(() => server.close());

const databaseName = () => new URL(server.database.url).pathname.slice(1);

/** Applies to new connections, as the promotion of another database does. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  const setting = isReadOnly
    ? "set default_transaction_read_only = on"
    : "reset default_transaction_read_only";
  await server.query("begin read write");
  await server.query(`alter database ${databaseName()} ${setting}`);
  await server.query("commit");
}

const closeConnections = () =>
  server.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'lightkeeper'`,
  );

it("makes requests fail with 503, and the server continues without a restart on the primary", async () => {
  await owner.call(createNetwork, { body: { name: "Before" } });
  await setReadOnly(true);
  await closeConnections();
  for (const call of [
    () => owner.call(createNetwork, { body: { name: "During" } }),
    () => owner.call(listNetworks),
  ]) {
    const rejected = await requestErrorOf(call());
    expect(rejected.response.status).toBe(503);
    expect(rejected.errors).toEqual([{ code: "ERR_UNAVAILABLE", message: "temporarily unavailable" }]);
  }
  for (let check = 0; check < 3; check++) expect((await rawRequest(`${server.url}/readyz`)).status).toBe(503);

  await setReadOnly(false);
  await vi.waitFor(async () => expect((await rawRequest(`${server.url}/readyz`)).status).toBe(200));
  await owner.call(createNetwork, { body: { name: "After" } });
  expect((await owner.call(listNetworks)).data.map(({ name }) => name)).toEqual(["Before", "After"]);
});

it("rejects a write on a connection that was checked before, which isn't used again", async () => {
  const { unaudited, pool } = server.ctx;
  const write = unaudited.transaction().execute(async (tx) => {
    await sql`set transaction read only`.execute(tx);
    await sql`create table written (id integer)`.execute(tx);
  });
  const connections = pool.totalCount;
  await expect(write).rejects.toMatchObject({ code: "25006" });
  expect(pool.totalCount).toBe(connections - 1);
});
