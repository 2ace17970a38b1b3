import {
  type Client,
  createTotpAuthenticator,
  deleteTotpAuthenticator,
  getTotpAuthenticator,
  listTotpAuthenticators,
  logInWithTotp,
  NotFoundError,
  updateTotpAuthenticator,
  verifyTotpAuthenticator,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
let session: Session;
beforeAll(async () => {
  server = await startTestServer({ frozen: true });
  session = await server.signUp();
});
afterAll(() => server.close());

async function add(call: Client, name: string) {
  const { totpToken, secret } = await call(createTotpAuthenticator, { body: { name } });
  const { authenticator } = await call(verifyTotpAuthenticator, {
    body: { totpToken, code: server.code(secret) },
  });
  return { ...authenticator, secret };
}

it("are listed oldest first and read one by one, without their secrets [S7.17] [S7.18]", async () => {
  server.advance(1000);
  const { secret, ...second } = await add(session.call, "Second");
  const list = await session.call(listTotpAuthenticators);
  expect(list.map(({ name }) => name)).toEqual(["Authenticator", "Second"]);
  expect(list[1]).toEqual(second);
  expect(await session.call(getTotpAuthenticator, { params: { totpID: second.id } })).toEqual(second);
  expect(JSON.stringify(list)).not.toContain(secret);
});

it("are renamed, read-only keys ignored [S7.18]", async () => {
  const [first] = await session.call(listTotpAuthenticators);
  const params = { totpID: first?.id ?? "" };
  const renamed = await session.call(updateTotpAuthenticator, {
    params,
    body: { ...first, name: " Phone " },
  });
  expect(renamed).toEqual({ ...first, name: "Phone" });
  expect(await session.call(getTotpAuthenticator, { params })).toEqual(renamed);
});

it.each([
  [{ name: "" }, "ERR_INVALID_VALUE_LENGTH", "name"],
  [{ name: "x".repeat(51) }, "ERR_INVALID_VALUE_LENGTH", "name"],
  [{}, "ERR_INVALID_VALUE_LENGTH", "name"],
  [{ name: 1 }, "ERR_INVALID_VALUE", "name"],
  [{ name: "x", secret: "AAAA" }, "ERR_INVALID_VALUE", "secret"],
])("reject the change %j with %s", async (body, code, path) => {
  const [first] = await session.call(listTotpAuthenticators);
  const call = session.call(updateTotpAuthenticator, {
    params: { totpID: first?.id ?? "" },
    body: body as never,
  });
  expect(await errorsOf(call)).toMatchObject([{ code, path }]);
});

it("are deleted except the last authenticator, also with two concurrent requests [S7.18]", async () => {
  const person = await server.signUp();
  const second = await add(person.call, "Second");
  const third = await add(person.call, "Third");
  expect(await person.call(deleteTotpAuthenticator, { params: { totpID: second.id } })).toEqual({});
  server.advance(60_000);
  const stale = person.call(logInWithTotp, { body: { code: server.code(second.secret) } });
  expect(await errorsOf(stale)).toMatchObject([{ code: "ERR_INVALID_TOTP_CODE" }]);

  const left = await person.call(listTotpAuthenticators);
  expect(left.map(({ id }) => id)).toContain(third.id);
  const results = await Promise.allSettled(
    left.map(({ id }) => person.call(deleteTotpAuthenticator, { params: { totpID: id } })),
  );
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const [last] = await person.call(listTotpAuthenticators);
  const rejected = await errorsOf(
    person.call(deleteTotpAuthenticator, { params: { totpID: last?.id ?? "" } }),
  );
  expect(rejected).toEqual([
    { code: "ERR_INVALID_VALUE", message: "you can’t delete your only authenticator" },
  ]);
});

it("of another user are not found", async () => {
  const stranger = await server.signUp();
  const [first] = await session.call(listTotpAuthenticators);
  for (const totpID of [first?.id ?? "", "totp-AAAAAAAAAAAAAAAAAAAAAAAAAA", "nothing"]) {
    const params = { totpID };
    await expect(stranger.call(getTotpAuthenticator, { params })).rejects.toBeInstanceOf(NotFoundError);
    await expect(
      stranger.call(updateTotpAuthenticator, { params, body: { name: "Theirs" } }),
    ).rejects.toBeInstanceOf(NotFoundError);
    await expect(stranger.call(deleteTotpAuthenticator, { params })).rejects.toBeInstanceOf(NotFoundError);
  }
  expect(await session.call(getTotpAuthenticator, { params: { totpID: first?.id ?? "" } })).toEqual(first);
});
