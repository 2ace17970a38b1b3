/** An identity provider, a member who signed in with it, and devices of people: one enrolled and one waiting. */
import {
  addDomain,
  pollEndpointAuth,
  startEndpointAuth,
  startEndpointSignIn,
  startOidc,
  verifyEndpointSignIn,
} from "@lightkeeper/contract";
import type { TestDns } from "../dns.ts";
import type { TestProvider } from "../oidc-provider.ts";
import type { Session, TestServer } from "../server.ts";
import { configureSso, signInWithSso } from "../sso-sign-in.ts";
import { TestAgent } from "../test-agent.ts";

const DOMAIN = "harborline.example";
export const DOMAINS = ["claimed.example", DOMAIN];

interface SingleSignOn {
  server: TestServer;
  owner: Session;
  provider: TestProvider;
  dns: TestDns;
}

async function signInDevice({ server, owner, provider }: SingleSignOn): Promise<string> {
  const call = server.client();
  const { pollToken, loginURL } = await call(startEndpointAuth);
  const loginToken = new URL(loginURL).searchParams.get("loginToken") ?? "";
  const { oidcRequestToken, redirectURL } = await call(startEndpointSignIn, {
    body: { loginToken, organization: owner.organizationID },
  });
  const location = await provider.signIn(redirectURL);
  await call(verifyEndpointSignIn, { body: { oidcRequestToken, location } });
  return pollToken;
}

/** Returns the token of the member. */
export async function fillSingleSignOn(options: SingleSignOn, networkID: string): Promise<string> {
  const { server, owner, provider, dns } = options;
  const configure = (endpoint: object = {}) =>
    configureSso(owner, provider, { allowedDomains: [DOMAIN], endpoint: { networkID, ...endpoint } });
  provider.person = { sub: "ada", email: `ada@${DOMAIN}`, email_verified: true };
  await dns.verify(owner, DOMAIN);
  await owner.call(addDomain, { body: { domain: "claimed.example" } });
  await configure();
  const token = await signInWithSso(server, provider, { organizationID: owner.organizationID });
  const { enrollmentCode } = await server.client()(pollEndpointAuth, {
    query: { pollToken: await signInDevice(options) },
  });
  await TestAgent.enroll(server.url, enrollmentCode);
  await configure({ requiresApproval: true });
  await signInDevice(options);
  // A sign-in that was started leaves a request.
  await server.client()(startOidc, { params: { orgID: owner.organizationID } });
  return token;
}
