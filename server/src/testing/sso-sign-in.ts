/** Single sign-on with the identity provider of tests, through the API. */
import { type BodyInputOf, startOidc, updateOidcProvider, verifyOidc } from "@lightkeeper/contract";
import type { ProviderPerson, TestProvider } from "./oidc-provider.ts";
import type { Session, TestServer } from "./server.ts";

export type SsoSettings = Partial<BodyInputOf<typeof updateOidcProvider>>;

/** Settings that allow people at example.com as administrators. */
export const ssoSettings = (
  { issuerURL, clientID, clientSecret }: TestProvider,
  change: SsoSettings = {},
): BodyInputOf<typeof updateOidcProvider> => ({
  issuerURL,
  clientID,
  clientSecret,
  allowedDomains: ["example.com"],
  defaultRole: "administrator",
  ...change,
});

export const configureSso = (session: Session, provider: TestProvider, change: SsoSettings = {}) =>
  session.call(updateOidcProvider, { body: ssoSettings(provider, change) });

/** Signs in to the console and returns the token. */
export async function signInWithSso(
  server: TestServer,
  provider: TestProvider,
  { organizationID, person }: { organizationID: string; person?: ProviderPerson | undefined },
): Promise<string> {
  const { oidcRequestToken, redirectURL } = await server.client()(startOidc, {
    params: { orgID: organizationID },
  });
  const location = await provider.signIn(redirectURL, person);
  return (await server.client()(verifyOidc, { body: { oidcRequestToken, location } })).authToken;
}
