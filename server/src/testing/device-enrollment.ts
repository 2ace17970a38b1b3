/** Device enrollment with single sign-on: an organization, its identity provider, and the requests of a device. */
import {
  approveDeviceRequest,
  listAuditLogs,
  listDeviceRequests,
  pollEndpointAuth,
  rejectDeviceRequest,
  startEndpointAuth,
  startEndpointSignIn,
  verifyEndpointSignIn,
} from "@lightkeeper/contract";
import { SignedReply } from "@lightkeeper/contract/agent";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { createTestDns } from "./dns.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { type ProviderPerson, startProvider, type TestProvider } from "./oidc-provider.ts";
import { type Session, startTestServer, type TestServer } from "./server.ts";
import { enrollBody, post, TestAgent } from "./test-agent.ts";

import { configureSso } from "./sso-sign-in.ts";

export const SECRET_KEY = Buffer.alloc(32, 7).toString("base64");
export const deviceEnvironment = { OIDC_ALLOWED_HOSTS: "127.0.0.1", SECRET_KEY };

interface Configuration {
  endpoint?: object;
  allowedDomains?: string[];
}

interface State {
  server: TestServer;
  provider: TestProvider;
  owner: Session;
  fleet: Fleet;
  domain: string;
}

let organizations = 0;

const createAda = ({ domain }: State, change: Partial<ProviderPerson> = {}): ProviderPerson => ({
  sub: "ada",
  email: `ada@${domain}`,
  email_verified: true,
  ...change,
});

function createSetup(state: State) {
  const configure = (
    { endpoint = {}, ...change }: Configuration = {},
    session = state.owner,
    { networkID } = state.fleet,
  ) =>
    configureSso(session, state.provider, {
      allowedDomains: [state.domain],
      endpoint: { networkID, ...endpoint },
      ...change,
    });
  return {
    configure,
    requireApproval: () => configure({ endpoint: { requiresApproval: true } }),
    ada: (change?: Partial<ProviderPerson>) => createAda(state, change),
  };
}

/** The requests of a device, and of the person who signs in on it. */
function createDeviceCalls(state: State) {
  const anonymous = () => state.server.client();
  const preauth = async () => {
    const { pollToken, loginURL, verificationCode } = await anonymous()(startEndpointAuth);
    const loginToken = new URL(loginURL).searchParams.get("loginToken") ?? "";
    return { pollToken, loginToken, loginURL, verificationCode };
  };
  const poll = (pollToken: string) => anonymous()(pollEndpointAuth, { query: { pollToken } });
  const start = (loginToken: string, organization: string) =>
    anonymous()(startEndpointSignIn, { body: { loginToken, organization } });
  const signIn = async (loginToken: string, person = createAda(state)) => {
    const { oidcRequestToken, redirectURL } = await start(loginToken, state.owner.organizationID);
    const location = await state.provider.signIn(redirectURL, person);
    return anonymous()(verifyEndpointSignIn, { body: { oidcRequestToken, location } });
  };
  return {
    anonymous,
    preauth,
    poll,
    start,
    signIn,
    enroll: (code: string) => post(`${state.server.url}/v2/enroll`, JSON.stringify(enrollBody(code))),
    /** Enrolls the device of a person who has signed in. */
    enrollAgent: async (pollToken: string): Promise<TestAgent> => {
      const { enrollmentCode } = await poll(pollToken);
      const agent = await TestAgent.enroll(state.server.url, enrollmentCode);
      agent.skewMs = state.server.ctx.clock().getTime() - Date.now();
      return agent;
    },
    /** Starts another sign-in on an enrolled device; returns the parameters of the login URL. */
    reauthenticate: async (agent: TestAgent): Promise<URLSearchParams> => {
      const { data } = await agent.send("Reauthenticate", {});
      const reply = agent.verifyReply(SignedReply.parse(data)).toString("utf8");
      return new URL((JSON.parse(reply) as { loginURL: string }).loginURL).searchParams;
    },
  };
}

/** What an owner does with the requests of devices. */
function createOwnerCalls(state: State) {
  const requests = (session = state.owner) => session.call(listDeviceRequests);
  return {
    requests,
    getOnlyRequest: async () => {
      const [request, ...others] = await requests();
      if (!request || others.length > 0) throw new Error(`${others.length} requests too many`);
      return request;
    },
    approve: (id: string, session = state.owner) =>
      session.call(approveDeviceRequest, { params: { deviceRequestID: id } }),
    reject: (id: string, session = state.owner) =>
      session.call(rejectDeviceRequest, { params: { deviceRequestID: id } }),
    eventsOf: async (targetID: string) =>
      (await state.owner.call(listAuditLogs, { query: { "filter.targetID": targetID } })).data.map(
        ({ actor, event }) => `${actor.type} ${event.type}`,
      ),
  };
}

/** Registers the hooks that start a server and a provider, and create an organization before each test. */
export function useDeviceEnrollment() {
  const dns = createTestDns();
  const state = {} as State;
  const setup = createSetup(state);
  beforeAll(async () => {
    state.server = await startTestServer({
      environment: deviceEnvironment,
      resolveTxt: dns.resolveTxt,
      agentPollMs: 50,
    });
    state.provider = await startProvider();
  });
  afterAll(async () => {
    await state.provider.close();
    await state.server.close();
  });
  beforeEach(async () => {
    state.owner = await state.server.signUp();
    state.fleet = await createFleet(state.server, state.owner);
    state.domain = `company${++organizations}.example`;
    await setup.configure();
  });
  afterEach(() => (dns.failure = undefined));
  return { dns, state, ...setup, ...createDeviceCalls(state), ...createOwnerCalls(state) };
}
