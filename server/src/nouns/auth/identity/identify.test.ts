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

/** The next search of a token has its result, but doesn't return it until `finish` is called. */
function holdNextSearch() {
  const reader = server.ctx.reader as unknown as Kysely<Tables>;
  const run = reader.executeQuery.bind(reader);
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let markFound = () => {};
  const found = new Promise<void>((resolve) => (markFound = resolve));
  const searches = vi.spyOn(reader, "executeQuery").mockImplementationOnce(async (query) => {
    const result = await run(query);
    markFound();
    await finished;
    return result;
  });
  return { finish, found, searches };
}

const describeResult = (result: PromiseSettledResult<Actor | undefined>) =>
  result.status === "fulfilled" ? result.value?.id : (result.reason as Error).message;
const describeAll = async (attempts: Promise<Actor | undefined>[]) =>
  (await Promise.allSettled(attempts)).map(describeResult);

it("shares the next search of a token, never one that has started: a revoked token is rejected at once", async () => {
  const { userToken, authToken, userID, call } = await server.signUp();
  const presented = readPresentedTokens(`Bearer ${userToken} ${authToken}`);
  const identify = createIdentify(server.ctx);
  const attempt = () => identify(whoami, presented, new Date());
  const { finish, found, searches } = holdNextSearch();
  const before = attempt();
  await found;
  await call(signOut);
  searches.mockClear();
  const after = [attempt(), attempt(), attempt()];
  finish();
  const rejection = "ERR_UNAUTHORIZED";
  expect(await describeAll([before, ...after])).toEqual([userID, rejection, rejection, rejection]);
  expect(searches).toHaveBeenCalledTimes(1);
  searches.mockRestore();
});

it("doesn't share the search of a token with requests that present another second factor", async () => {
  const { userToken, authToken, userID } = await server.signUp();
  const identify = createIdentify(server.ctx);
  const attempt = (...tokens: string[]) =>
    identify(whoami, readPresentedTokens(`Bearer ${tokens.join(" ")}`), new Date());
  const { finish, found, searches } = holdNextSearch();
  const first = attempt(userToken, authToken);
  await found;
  const others = [attempt(userToken), attempt(userToken, authToken), attempt(userToken, "another")];
  finish();
  expect(await describeAll([first, ...others])).toEqual([userID, userID, userID, "ERR_2FA_REQUIRED"]);
  const [whole, half] = [await first, await others[0]];
  expect(whole).toHaveProperty("authentication.at");
  expect(half).toHaveProperty("authentication", undefined);
  searches.mockRestore();
});
