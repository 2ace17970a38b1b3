/** A burst of requests from an organization doesn't use up the database for the others. */
import { createRole, listHostsV2 } from "@lightkeeper/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unchanged } from "../../infrastructure/db/audited.ts";
import type { ApiError } from "../../infrastructure/errors/api-error.ts";
import { createFleet } from "../fleet.ts";
import { type Session, startTestServer, type TestServer } from "../server.ts";
import { runAs } from "../../infrastructure/scheduling/work-class.ts";

const BURST = 200;
/** Much less than in one common queue, where the request would be the last. */
const SHARE_DONE_MAX = 0.25;

let server: TestServer;
let noisy: Session;
let quiet: Session;
let roleCount = 0;

beforeAll(async () => {
  server = await startTestServer();
  [noisy, quiet] = [await server.signUp(), await server.signUp()];
  for (const session of [noisy, quiet]) await (await createFleet(server, session)).addMany(500);
});
afterAll(() => server.close());

const write = (session: Session) => session.call(createRole, { body: { name: `Role ${++roleCount}` } });
const read = (session: Session) => session.call(listHostsV2, { query: { pageSize: 100 } });

/** Opens the connections in advance, because accepting them isn't what is measured. */
const openConnections = () =>
  Promise.all(Array.from({ length: BURST + 1 }, async () => (await fetch(`${server.url}/healthz`)).text()));

/** The share of hundreds of earlier requests of one organization that are done before a request of another. */
async function measureShareDone(call: (session: Session) => Promise<unknown>): Promise<number> {
  await openConnections();
  await call(quiet);
  let done = 0;
  const burst = Array.from({ length: BURST }, () =>
    call(noisy).then(
      () => done++,
      // On a busy machine some requests time out, which isn't what is measured.
      () => undefined,
    ),
  );
  await call(quiet);
  const shareDone = done / BURST;
  await Promise.all(burst);
  return shareDone;
}

describe("while an organization sends hundreds of concurrent requests", () => {
  it.each([
    ["write", write],
    ["read", read],
  ])(
    "a %s of another organization does not wait for them",
    async (_name, call) => {
      expect(await measureShareDone(call)).toBeLessThan(SHARE_DONE_MAX);
    },
    120_000,
  );

  it("another organization writes and reads immediately, even if all of them wait for the same lock", async () => {
    const { audited, unaudited } = server.ctx;
    const lock = sql`select pg_advisory_xact_lock(7)`;
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    let holder: Promise<void> | undefined;
    await new Promise<void>((isLocked) => {
      holder = unaudited.transaction().execute(async (tx) => {
        await lock.execute(tx);
        isLocked();
        await isReleased;
      });
    });
    const blocked = Array.from({ length: 50 }, () =>
      runAs(noisy.organizationID, () =>
        audited(async (tx) => {
          await lock.execute(tx);
          return unchanged({});
        }),
      ),
    );
    try {
      for (const call of [write(quiet), read(quiet), read(noisy)]) await expect(call).resolves.toBeDefined();
    } finally {
      release();
      await Promise.all([holder, ...blocked]);
    }
  });
});

it("requests beyond an organization's queue are rejected with a retry time, but not those of other organizations", async () => {
  const outcomes = Array.from({ length: 1500 }, () =>
    runAs(noisy.organizationID, () => server.ctx.audited(async () => unchanged("done"))).catch(
      ({ status, retryAfterSeconds }: ApiError) => `${status} after ${retryAfterSeconds} s`,
    ),
  );
  await write(quiet);
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(["done", "429 after 1 s"]));
  await write(noisy);
});
