/** Devices that enroll by single sign-on, in another organization for each test. */
import {
  createRole,
  type Output,
  pollEndpointAuth,
  startEndpointAuth,
  startEndpointSignIn,
  verifyEndpointSignIn,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { createTestDns } from "./dns.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { type ProviderPerson, startProvider, type TestProvider } from "./oidc-provider.ts";
import { type Session, startTestServer, type TestServer } from "./server.ts";
import { configureSso, type SsoSettings } from "./sso-sign-in.ts";
import { TestAgent } from "./test-agent.ts";

const dns = createTestDns();
export let server: TestServer;
export let provider: TestProvider;
export let owner: Session;
export let fleet: Fleet;
export let roleID: string;
export let domain: string;
let organizationCount = 0;

/** Registers the hooks that start a server and a provider, and create an organization before each test. */
export function useEndpointAuth(): void {
  beforeAll(async () => {
    server = await startTestServer({
      environment: { OIDC_ALLOWED_HOSTS: "127.0.0.1" },
      agentPollMs: 50,
      resolveTxt: dns.resolveTxt,
    });
    provider = await startProvider();
  });
  afterAll(async () => {
    await provider.close();
    await server.close();
  });
  beforeEach(async () => {
    owner = await server.signUp();
    fleet = await createFleet(server, owner);
    roleID = (await owner.call(createRole, { body: { name: "Laptop" } })).id;
    domain = `staff${++organizationCount}.example`;
    await configure();
    await dns.verify(owner, domain);
  });
}

export const configure = (change: SsoSettings = {}, session = owner) =>
  configureSso(session, provider, {
    allowedDomains: [domain],
    endpoint: { networkID: fleet.networkID, roleID, tags: ["kind:laptop"], validDays: 10 },
    ...change,
  });
export const ada = (): ProviderPerson => ({
  sub: "ada",
  email: `Ada.King@${domain}`,
  email_verified: true,
});
export const anonymous = () => server.client();
export const preauth = async () => {
  const { pollToken, loginURL } = await anonymous()(startEndpointAuth);
  return { pollToken, loginToken: tokenIn(loginURL) };
};
export const tokenIn = (loginURL: string) => {
  const { origin, pathname, searchParams } = new URL(loginURL);
  expect(`${origin}${pathname}`).toBe("http://localhost:8080/endpoint-auth/login");
  return searchParams.get("loginToken") ?? "";
};
export const poll = (pollToken: string) => anonymous()(pollEndpointAuth, { query: { pollToken } });
export const start = (loginToken: string, organization?: string) =>
  anonymous()(startEndpointSignIn, { body: { loginToken, ...(organization && { organization }) } });
export const signIn = async (loginToken: string, { person = ada(), organization = domain } = {}) => {
  const { oidcRequestToken, redirectURL } = await start(loginToken, organization);
  const location = await provider.signIn(redirectURL, person);
  return requireCompleted(await anonymous()(verifyEndpointSignIn, { body: { oidcRequestToken, location } }));
};
export const requireCompleted = (result: Output<typeof verifyEndpointSignIn>) => {
  if (result.state !== "completed") throw new Error("The device waits for approval");
  return result;
};
/** Signs a person in and enrolls their device. */
export const enrollDevice = async (person = ada()) => {
  const { pollToken, loginToken } = await preauth();
  const completed = await signIn(loginToken, { person });
  const agent = await TestAgent.enroll(server.url, (await poll(pollToken)).enrollmentCode);
  agent.skewMs = server.ctx.clock().getTime() - Date.now();
  return { agent, completed };
};
