import { sendMagicLink, signup, verifyMagicLink, whoami } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { errorsOf } from "../../testing/request-errors.ts";
import { MINUTE_MS, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ frozen: true });
});
afterAll(() => server.close());

const rejected = [
  {
    code: "ERR_INVALID_MAGIC_LINK_TOKEN",
    message: "the link is invalid, expired or already used; request a new one",
    path: "magicLinkToken",
  },
];

const verify = (magicLinkToken: string) => server.client()(verifyMagicLink, { body: { magicLinkToken } });

async function newLink(email: string): Promise<string> {
  await server.client()(sendMagicLink, { body: { email } });
  return server.linkToken(email);
}

it("returns a session token for the link in the mail [S7.4] [S7.5] [S4.4]", async () => {
  const { email, userID } = await server.signUp();
  expect(await server.client()(sendMagicLink, { body: { email } })).toEqual({});
  const token = await server.linkToken(email);
  expect(server.mails.at(-1)?.text).toContain(
    `http://localhost:8080/auth/magic-link?magicLinkToken=${token}\n`,
  );
  const { sessionToken } = await verify(token);
  expect((await server.client(sessionToken)(whoami)).actor.id).toBe(userID);
});

it.each([["wrong"], [""], ["x".repeat(4096)], ["%00"]])("rejects the token %j [S5.4]", async (token) => {
  expect(await errorsOf(verify(token))).toEqual(rejected);
});

it("rejects a token that is too long, with its path", async () => {
  expect(await errorsOf(verify("x".repeat(4097)))).toMatchObject([
    { code: "ERR_INVALID_VALUE", path: "magicLinkToken" },
  ]);
});

it("works once", async () => {
  const { email } = await server.signUp();
  const token = await newLink(email);
  await verify(token);
  expect(await errorsOf(verify(token))).toEqual(rejected);
});

it("works for exactly 15 minutes", async () => {
  const { email } = await server.signUp();
  const inTime = await newLink(email);
  server.advance(15 * MINUTE_MS - 1);
  await verify(inTime);
  const late = await newLink(email);
  server.advance(15 * MINUTE_MS);
  expect(await errorsOf(verify(late))).toEqual(rejected);
});

it("invalidates the other links of its address, and only those", async () => {
  const { email } = await server.signUp();
  const other = await server.signUp();
  const [first, second] = [await newLink(email), await newLink(email)];
  const theirs = await newLink(other.email);
  await verify(second);
  expect(await errorsOf(verify(first))).toEqual(rejected);
  await verify(theirs);
});

it("works for exactly one of ten concurrent requests", async () => {
  const { email, userID } = await server.signUp();
  const token = await newLink(email);
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => verify(token)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await server.query("select id from sessions where user_id = $1", [userID])).toHaveLength(2);
});

it("does not log in to an account that was deleted meanwhile", async () => {
  const { email, organizationID } = await server.signUp();
  const token = await newLink(email);
  await server.query("delete from organizations where id = $1", [organizationID]);
  expect(await errorsOf(verify(token))).toEqual(rejected);
});

it("logs in with a second sign-up link once the address has an account", async () => {
  const email = "again@example.com";
  await server.client()(signup, { body: { email } });
  await verify(await server.linkToken(email));
  await server.client()(signup, { body: { email } });
  await verify(await server.linkToken(email));
  expect(await server.query("select id from users where email = $1", [email])).toHaveLength(1);
});
