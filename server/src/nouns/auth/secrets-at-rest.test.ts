import { createHash } from "node:crypto";
import {
  createRecoveryCodes,
  createTotpAuthenticator,
  sendMagicLink,
  signup,
  verifyMagicLink,
  verifyTotpAuthenticator,
} from "@lightkeeper/contract";
import { Secret } from "otpauth";
import { expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../testing/server.ts";

/** Every row of every table, as text; bytes as hexadecimal digits. */
async function dump(server: TestServer): Promise<string> {
  const tables = await server.query<{ name: string }>(
    "select format('%I', table_name) as name from information_schema.tables where table_schema = 'public'",
  );
  const rows = await Promise.all(
    tables.map(({ name }) => server.query<{ text: string }>(`select t::text as text from ${name} t`)),
  );
  return rows.flatMap((found) => found.map(({ text }) => text)).join("\n");
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const spellingsOf = (token: string) => [
  token,
  hex(Buffer.from(token)),
  hex(Buffer.from(token, "base64url")),
  Buffer.from(token, "base64url").toString("base64"),
];

it("stores tokens as hashes and TOTP secrets encrypted, so that a dump reveals neither", async () => {
  const server = await startTestServer();
  try {
    const email = "kept@example.com";
    await server.client()(signup, { body: { email } });
    const usedLink = await server.linkToken(email);
    const { sessionToken } = await server.client()(verifyMagicLink, { body: { magicLinkToken: usedLink } });
    const half = server.client(sessionToken);
    const done = await half(createTotpAuthenticator, { body: {} });
    const body = { totpToken: done.totpToken, code: server.code(done.secret) };
    const { authToken } = await half(verifyTotpAuthenticator, { body });
    const pending = await server.client(sessionToken, authToken)(createTotpAuthenticator, { body: {} });
    const { codes } = await server.client(sessionToken, authToken)(createRecoveryCodes);
    await server.client()(sendMagicLink, { body: { email } });
    const waitingLink = await server.linkToken(email);

    const everything = await dump(server);
    for (const token of [sessionToken, authToken, pending.totpToken, waitingLink])
      expect(everything).toContain(createHash("sha256").update(token).digest("hex"));
    for (const token of [usedLink, waitingLink, sessionToken, authToken, done.totpToken, pending.totpToken])
      for (const spelling of spellingsOf(token)) expect(everything).not.toContain(spelling);
    for (const code of codes.flatMap((code) => [code, code.replaceAll("-", "")]))
      for (const spelling of spellingsOf(code)) expect(everything).not.toContain(spelling);
    for (const { secret, url } of [done, pending]) {
      const bytes = Buffer.from(Secret.fromBase32(secret).buffer);
      for (const spelling of [secret, url, hex(bytes), bytes.toString("base64"), hex(Buffer.from(secret))])
        expect(everything).not.toContain(spelling);
    }
  } finally {
    await server.close();
  }
});
