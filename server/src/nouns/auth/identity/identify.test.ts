import { signOut, whoami } from "@lightkeeper/contract";
import type { Kysely } from "kysely";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Tables } from "../../../infrastructure/db/tables.ts";
import type { Actor } from "../../../infrastructure/http/actor.ts";
import { startTestServer, type TestServer } from "../../../testing/server.ts";
import { createIdentify } from "./identify.ts";
import { readPresentedTokens } from "./presented-tokens.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** Delays the result of the next lookup until `finish` is called. */
function delayNextLookup() {
  const reader = server.ctx.reader as unknown as Kysely<Tables>;
  const run = reader.executeQuery.bind(reader);
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let markFound = () => {};
  const found = new Promise<void>((resolve) => (markFound = resolve));
  const lookups = vi.spyOn(reader, "executeQuery").mockImplementationOnce(async (query) => {
    const result = await run(query);
    markFound();
    await finished;
    return result;
  });
  return { finish, found, lookups };
}

const describeResult = (result: PromiseSettledResult<Actor | undefined>) =>
  result.status === "fulfilled" ? result.value?.id : (result.reason as Error).message;
const describeAll = async (attempts: Promise<Actor | undefined>[]) =>
  (await Promise.allSettled(attempts)).map(describeResult);

it("rejects a token that was revoked before the request, and looks it up once for all requests that wait", async () => {
  const { userToken, authToken, userID, call } = await server.signUp();
  const presented = readPresentedTokens(`Bearer ${userToken} ${authToken}`);
  const identify = createIdentify(server.ctx);
  const attempt = () => identify(whoami, presented, new Date());
  const { finish, found, lookups } = delayNextLookup();
  const before = attempt();
  await found;
  await call(signOut);
  lookups.mockClear();
  const after = [attempt(), attempt(), attempt()];
  finish();
  const rejection = "ERR_UNAUTHORIZED";
  expect(await describeAll([before, ...after])).toEqual([userID, rejection, rejection, rejection]);
  expect(lookups).toHaveBeenCalledTimes(1);
  lookups.mockRestore();
});

it("doesn't share a lookup between requests with different second factors", async () => {
  const { userToken, authToken, userID } = await server.signUp();
  const identify = createIdentify(server.ctx);
  const attempt = (...tokens: string[]) =>
    identify(whoami, readPresentedTokens(`Bearer ${tokens.join(" ")}`), new Date());
  const { finish, found, lookups } = delayNextLookup();
  const first = attempt(userToken, authToken);
  await found;
  const others = [attempt(userToken), attempt(userToken, authToken), attempt(userToken, "another")];
  finish();
  expect(await describeAll([first, ...others])).toEqual([userID, userID, userID, "ERR_2FA_REQUIRED"]);
  const [whole, half] = [await first, await others[0]];
  expect(whole).toHaveProperty("authentication.at");
  expect(half).toHaveProperty("authentication", undefined);
  lookups.mockRestore();
});
