import {
  createNetwork,
  createTotpAuthenticator,
  listNetworks,
  logInWithTotp,
  reportClientError,
  sendMagicLink,
  verifyMagicLink,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLog } from "./log.ts";
import { rawRequest } from "../../testing/raw-request.ts";
import { errorsOf } from "../../testing/request-errors.ts";
import { type Session, startTestServer, type TestServer } from "../../testing/server.ts";

const lines: string[] = [];
let server: TestServer;
let session: Session;
beforeAll(async () => {
  server = await startTestServer({
    environment: { LOG_LEVEL: "trace" },
    logTo: { write: (line) => void lines.push(line) },
  });
  session = await server.signUp();
});
afterAll(() => server.close());

type Line = Record<string, unknown>;
const authorize = () => ({ authorization: `Bearer ${session.userToken} ${session.authToken}` });
const logged = () => lines.map((line) => JSON.parse(line) as Line);

describe("the log", () => {
  it("has a line for every request with ID, method, route, status, duration and actor", async () => {
    const { id } = await session.call(createNetwork, { body: { name: "Logged" } });
    lines.length = 0;
    const response = await fetch(`${server.url}/v1/networks/${id}`, { headers: authorize() });
    await response.text();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
    expect(logged()).toEqual([
      {
        level: "info",
        time,
        requestID: response.headers.get("x-request-id"),
        method: "GET",
        route: "/v1/networks/:networkID",
        status: 200,
        durationMs: expect.any(Number) as number,
        actorID: session.userID,
        msg: "request",
      },
    ]);
  });

  it("never contains a token, a code, a secret, an address, a body or a query", async () => {
    const { email, userToken, authToken, totpSecret } = session;
    await server.client()(sendMagicLink, { body: { email } });
    const magicLinkToken = await server.linkToken(email);
    await fetch(`${server.url}/auth/magic-link?magicLinkToken=${magicLinkToken}`);
    await fetch(`${server.url}/v2/whoami?magicLinkToken=${magicLinkToken}`);
    const { sessionToken } = await server.client()(verifyMagicLink, { body: { magicLinkToken } });
    await errorsOf(server.client()(verifyMagicLink, { body: { magicLinkToken } }));
    await errorsOf(server.client(sessionToken)(logInWithTotp, { body: { code: "918273" } }));
    const { totpToken, secret } = await session.call(createTotpAuthenticator, { body: {} });
    await session.call(listNetworks, { query: { cursor: "" } });
    await errorsOf(session.call(createNetwork, { body: { name: "Confidential", cidr: "wrong" } }));
    await server.client()(reportClientError, {
      body: {
        message: `broken at "/x?magicLinkToken=${magicLinkToken}"`,
        path: `/auth/magic-link?magicLinkToken=${magicLinkToken}#${userToken}`,
      },
    });
    const text = lines.join("");
    const secrets = [
      magicLinkToken,
      sessionToken,
      userToken,
      authToken,
      totpSecret,
      totpToken,
      secret,
      email,
    ];
    for (const word of [...secrets, "918273", "Confidential", "Bearer", "cursor"])
      expect(text).not.toContain(word);
    expect(text).toContain('"path":"/auth/magic-link"');
  });

  it("contains an unexpected error with the request ID", async () => {
    lines.length = 0;
    await server.query("alter table feature_flags rename to elsewhere");
    const response = await fetch(`${server.url}/v1/feature-flags`, { headers: authorize() });
    await server.query("alter table elsewhere rename to feature_flags");
    expect(response.status).toBe(500);
    const entry = logged().find(({ msg }) => msg === "unexpected error");
    expect(entry).toMatchObject({ level: "error", requestID: response.headers.get("x-request-id") });
    expect(entry?.err).toMatchObject({
      message: expect.stringContaining("feature_flags") as string,
      stack: expect.any(String) as string,
    });
  });

  it("has the request ID that the client sent, on each line of the request", async () => {
    lines.length = 0;
    const requestID = "req-from.a_client-1";
    await server.query("alter table feature_flags rename to elsewhere");
    const response = await rawRequest(`${server.url}/v1/feature-flags`, {
      headers: { ...authorize(), "x-request-id": requestID },
    });
    await server.query("alter table elsewhere rename to feature_flags");
    expect(response).toMatchObject({ status: 500, headers: { "x-request-id": requestID } });
    expect(logged().map(({ msg, requestID: id }) => [msg, id])).toEqual([
      ["unexpected error", requestID],
      ["request", requestID],
    ]);
  });

  it.each([
    ["has invalid characters", 'req-"},{"level'],
    ["is too short", "req-1"],
    ["is too long", "a".repeat(65)],
    ["is sent twice", ["req-first-one", "req-second-one"]],
  ])("has another request ID if the one of the client %s", async (_case, sent) => {
    lines.length = 0;
    const response = await rawRequest(`${server.url}/v1/feature-flags`, {
      headers: { ...authorize(), "x-request-id": sent },
    });
    expect(response.status).toBe(200);
    expect(response.headers["x-request-id"]).toMatch(/^req-[A-Z2-7]{26}$/);
    expect(logged().map(({ requestID }) => requestID)).toEqual([response.headers["x-request-id"]]);
  });

  it("redacts values with the name of a secret", () => {
    const written: string[] = [];
    const log = createLog({ logLevel: "info" }, { write: (line) => void written.push(line) });
    log.info(
      { token: "hush", body: { secret: "hush", code: "hush" }, headers: { authorization: "hush" } },
      "careless",
    );
    expect(written.join("")).toContain("[removed]");
    expect(written.join("")).not.toContain("hush");
  });
});
