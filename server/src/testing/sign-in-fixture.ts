/** A server and an identity provider for tests of single sign-on, with another organization for each test. */
import { listAuditLogs, startOidc, verifyOidc } from "@lightkeeper/contract";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type ProviderPerson, startProvider, type TestProvider } from "./oidc-provider.ts";
import { type Session, startTestServer, type TestServer } from "./server.ts";
import { configureSso, type SsoSettings } from "./sso-sign-in.ts";

export let server: TestServer;
export let provider: TestProvider;
export let owner: Session;

/** Registers the hooks that start the server and the provider, and create an organization before each test. */
export function useSignIn(): void {
  beforeAll(async () => {
    server = await startTestServer({ environment: { OIDC_ALLOWED_HOSTS: "127.0.0.1" } });
    provider = await startProvider();
  });
  beforeEach(async () => {
    owner = await server.signUp();
  });
  afterEach(() => (provider.intercept = undefined));
  afterAll(async () => {
    await provider.close();
    await server.close();
  });
}

export const configure = (change: SsoSettings = {}, session = owner) =>
  configureSso(session, provider, change);
export const start = (orgID = owner.organizationID) => server.client()(startOidc, { params: { orgID } });
export const verify = (oidcRequestToken: string, location: string) =>
  server.client()(verifyOidc, { body: { oidcRequestToken, location } });
export const signIn = async (person?: ProviderPerson) => {
  const { oidcRequestToken, redirectURL } = await start();
  return verify(oidcRequestToken, await provider.signIn(redirectURL, person));
};
export const ada = { sub: "ada", email: "ada@example.com", email_verified: true };
export const events = async (targetType: "user" | "oidcProvider") =>
  (await owner.call(listAuditLogs, { query: { "filter.targetType": targetType } })).data.filter(
    ({ actor }) => actor.type !== "user",
  );
