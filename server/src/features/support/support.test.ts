import { contactSupport } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorCodesOf } from "../../testing/request-errors.ts";
import { insertSsoUser } from "../../testing/sso-users.ts";
import { startTestServer, type TestServer } from "../../testing/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const question = { subject: "Tunnels <b>", message: "<b>Why</b> is\nthis so?" };

describe("a question to support", () => {
  it("is mailed with its sender, and user input becomes neither markup nor a header", async () => {
    const { call, email, organizationID } = await server.signUp();
    await call(contactSupport, { body: question });
    await server.app.outbox.drain();
    const mail = server.mails.find(({ replyTo }) => replyTo === email);
    expect(mail).toMatchObject({
      to: "support@lightkeeper.example",
      replyTo: email,
      subject: "[Support] Tunnels <b>",
    });
    expect(mail?.text).toContain("<b>Why</b> is\nthis so?");
    expect(mail?.text).toContain(organizationID);
    expect(mail?.html).toContain("&lt;b&gt;Why&lt;/b&gt;");
  });

  it("may come from anyone who is logged in, ten times in 15 minutes", async () => {
    const owner = await server.signUp();
    const call = server.client(await insertSsoUser(server, owner, "auditor"));
    for (let count = 0; count < 10; count += 1) await call(contactSupport, { body: question });
    expect(await errorCodesOf(call(contactSupport, { body: question }))).toEqual(["ERR_TOO_MANY_REQUESTS"]);
  });

  it("has a subject of one line that cannot inject a header", async () => {
    const { call } = await server.signUp();
    const subject = "Tunnels\r\nBcc: x@example.com";
    expect(await errorCodesOf(call(contactSupport, { body: { ...question, subject } }))).toEqual([
      "ERR_INVALID_VALUE",
    ]);
  });

  it("requires a subject, a message and a sender", async () => {
    const { call } = await server.signUp();
    const empty = call(contactSupport, { body: { subject: " ", message: "" } });
    expect(await errorCodesOf(empty)).toEqual(["ERR_INVALID_VALUE_LENGTH", "ERR_INVALID_VALUE_LENGTH"]);
    expect(await errorCodesOf(server.client()(contactSupport, { body: question }))).toEqual([
      "ERR_UNAUTHORIZED",
    ]);
  });
});
