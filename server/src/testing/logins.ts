/** Logins and authenticators for tests, through the API. */
import {
  type Client,
  createTotpAuthenticator,
  sendMagicLink,
  verifyMagicLink,
  verifyTotpAuthenticator,
} from "@lightkeeper/contract";
import type { TestServer } from "./server.ts";

/** Requests a magic link and returns its token. */
export async function requestLink(server: TestServer, email: string): Promise<string> {
  await server.client()(sendMagicLink, { body: { email } });
  return server.linkToken(email);
}

/** Logs in with a magic link and returns the user token, without a second factor. */
export async function logInByLink(server: TestServer, email: string): Promise<string> {
  const body = { magicLinkToken: await requestLink(server, email) };
  return (await server.client()(verifyMagicLink, { body })).sessionToken;
}

/** Registers another authenticator for the caller. */
export async function addAuthenticator(server: TestServer, call: Client, name: string) {
  const { totpToken, secret } = await call(createTotpAuthenticator, { body: { name } });
  const verified = await call(verifyTotpAuthenticator, { body: { totpToken, code: server.code(secret) } });
  return { ...verified, secret };
}
