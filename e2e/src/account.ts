/** Creates accounts through the API, for tests that don't test signing up. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Client,
  createClient,
  createTotpAuthenticator,
  signup,
  verifyMagicLink,
  verifyTotpAuthenticator,
} from "@lightkeeper/contract";
import { Secret, TOTP } from "otpauth";
import { waitForLink } from "./mailbox.ts";

export interface Account {
  email: string;
  userToken: string;
  authToken: string;
  secret: string;
  call: Client;
}

let emailCount = 0;
export const newEmail = () => `e2e-${process.pid}-${Date.now().toString(36)}-${++emailCount}@example.com`;

const STEP_MS = 30_000;
/** How long a request may take on a busy machine. */
const SAFE_MS = 6000;

/** The code of an authenticator app, `steps` half-minutes from now. */
export const codeFor = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret.replace(/\s/g, "")) }).generate({
    timestamp: Date.now() + steps * STEP_MS,
  });

/** The previous code, which is still accepted, so that the current and next codes stay unused. */
export async function previousCodeFor(secret: string): Promise<string> {
  const leftMs = STEP_MS - (Date.now() % STEP_MS);
  if (leftMs < SAFE_MS) await sleep(leftMs);
  return codeFor(secret, -1);
}

export const clientFor = (url: string, ...tokens: string[]) =>
  createClient({
    baseURL: url,
    authorization: () => (tokens.length > 0 ? `Bearer ${tokens.join(" ")}` : undefined),
  });

/** Creates a user without an authenticator. */
export async function createUser({ url, dataDir }: { url: string; dataDir: string }) {
  const email = newEmail();
  await clientFor(url)(signup, { body: { email } });
  const link = new URL(await waitForLink(dataDir, email));
  const magicLinkToken = link.searchParams.get("magicLinkToken") ?? "";
  const { sessionToken } = await clientFor(url)(verifyMagicLink, { body: { magicLinkToken } });
  return { email, userToken: sessionToken };
}

export async function createAccount(server: { url: string; dataDir: string }): Promise<Account> {
  const { email, userToken } = await createUser(server);
  const callWithUserToken = clientFor(server.url, userToken);
  const { totpToken, secret } = await callWithUserToken(createTotpAuthenticator, { body: {} });
  const verify = (code: string) => callWithUserToken(verifyTotpAuthenticator, { body: { totpToken, code } });
  const code = await previousCodeFor(secret);
  const { authToken } = await verify(code).catch((error: unknown) => {
    // If the half-minute ended before the request arrived, the code was rejected rightly.
    if (code === codeFor(secret, -1)) throw error;
    return verify(codeFor(secret, -1));
  });
  return { email, userToken, authToken, secret, call: clientFor(server.url, userToken, authToken) };
}
