/** For every endpoint of the contract a request that its owner may make, ready to be sent by anybody. */
import { randomBytes } from "node:crypto";
import {
  addDomain,
  blockHostV2,
  bulkHosts,
  createEnrollmentCode,
  createHostV2,
  createNetwork,
  createRole,
  createRoute,
  createTag,
  createTotpAuthenticator,
  type Endpoint,
  inviteMember,
  listSessions,
  listTotpAuthenticators,
  type MemberRole,
  pathOf,
  planImport,
  type Scope,
  sendMagicLink,
  startEndpointAuth,
  updateOidcProvider,
  verifyMagicLink,
  verifyTotpAuthenticator,
} from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import { base32, newId } from "../infrastructure/crypto/ids.ts";
import { hashToken, newToken } from "../infrastructure/crypto/tokens.ts";
import { done } from "../infrastructure/db/audited.ts";
import { OIDC_TOKEN_PREFIX } from "../infrastructure/http/credentials.ts";
import type { Session, TestServer } from "./server.ts";
import { enrollBody, TestAgent } from "./test-agent.ts";

export interface Sample {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
}

type Prepare = (server: TestServer, owner: Session) => Sample | Promise<Sample>;

const nothing: Prepare = () => ({});

let made = 0;
const ofNetwork =
  (body?: (name: string) => object): Prepare =>
  async (_server, { call }) => {
    const { id } = await call(createNetwork, { body: { name: `Sample ${++made}` } });
    return { params: { networkID: id }, ...(body && { body: body(`Renamed ${made}`) }) };
  };

const ofAuthenticator =
  (body?: object): Prepare =>
  async (_server, { call }) => {
    const [first] = await call(listTotpAuthenticators);
    return { params: { totpID: first?.id ?? "" }, ...(body && { body }) };
  };

const ofRole =
  (body?: (name: string) => object): Prepare =>
  async (_server, { call }) => {
    const { id } = await call(createRole, { body: { name: `Sample ${++made}` } });
    return { params: { roleID: id }, ...(body && { body: body(`Renamed ${made}`) }) };
  };

const newNetwork = async ({ call }: Session) =>
  (await call(createNetwork, { body: { name: `Sample ${++made}` } })).id;

const newHost: Prepare = async (_server, owner) => ({
  body: { name: `sample-${++made}`, networkID: await newNetwork(owner) },
});

const ofHost =
  (body?: (name: string) => object): Prepare =>
  async (_server, owner) => {
    const host = { name: `sample-${++made}`, networkID: await newNetwork(owner) };
    const { id } = await owner.call(createHostV2, { body: host });
    return { params: { hostID: id }, ...(body && { body: body(`renamed-${made}`) }) };
  };

const ofBlockedHost: Prepare = async (server, owner) => {
  const sample = await ofHost()(server, owner);
  await owner.call(blockHostV2, { params: { hostID: sample.params?.hostID ?? "" } });
  return sample;
};

const ofTag =
  (body?: object): Prepare =>
  async (_server, { call }) => {
    const { name } = await call(createTag, { body: { name: `sample:${++made}` } });
    return { params: { tag: name }, ...(body && { body }) };
  };

const ofRoute =
  (body?: (name: string) => object): Prepare =>
  async (_server, { call }) => {
    const { id } = await call(createRoute, { body: { name: `Sample ${++made}` } });
    return { params: { routeID: id }, ...(body && { body: body(`Renamed ${made}`) }) };
  };

const importOfRole = () => ({ format: "yaml", content: `roles: [{ name: Sample ${++made} }]` }) as const;

const ofApiKey =
  (body?: object): Prepare =>
  async (server, owner) => {
    const id = await insertApiKey(server, owner, []).then((key) => key.id);
    return { params: { apiKeyID: id }, ...(body && { body }) };
  };

const pendingSetup: Prepare = async (server, { call }) => {
  const { totpToken, secret } = await call(createTotpAuthenticator, { body: { name: "Sample" } });
  return { body: { totpToken, code: server.code(secret) } };
};

const enrollable: Prepare = async (server, owner) => {
  const { params } = await ofHost()(server, owner);
  const hostID = params?.hostID ?? "";
  const { code } = await owner.call(createEnrollmentCode, { params: { hostID } });
  return { body: enrollBody(code) };
};

const fromAgent: Prepare = async (server, owner) => {
  const { params } = await ofHost()(server, owner);
  const agent = await TestAgent.enrollHost(server.url, owner, params?.hostID ?? "");
  agent.skewMs = server.ctx.clock().getTime() - Date.now();
  return { body: agent.request("CheckForUpdate") };
};

const ofInvitation =
  (body?: object): Prepare =>
  async (_server, { call }) => {
    const invited = { email: `invited${++made}@example.org`, role: "auditor" } as const;
    const { id } = await call(inviteMember, { body: invited });
    return { params: { memberID: id }, ...(body && { body }) };
  };

const ofRemovedMember: Prepare = async (server, owner) => {
  await insertSsoUser(server, owner);
  const removed = await server.query<{ id: string }>(
    "update oidc_users set removed_at = created_at where organization_id = $1 returning id",
    [owner.organizationID],
  );
  return { params: { memberID: removed[0]?.id ?? "" } };
};

const ofDomain: Prepare = async (_server, { call }) => {
  const domain = `sample${++made}.example`;
  await call(addDomain, { body: { domain } });
  return { params: { domain } };
};

const ofDeviceRequest: Prepare = async (server, owner) => {
  const networkID = await newNetwork(owner);
  await owner.call(updateOidcProvider, {
    body: { ...identityProvider(), endpoint: { networkID, requiresApproval: true } },
  });
  const { pollToken } = await server.client()(startEndpointAuth);
  const [id, now] = [newId("devicerequest"), server.ctx.clock()];
  await server.query(
    `insert into device_requests (id, organization_id, poll_token_hash, issuer, subject, email, address, created_at,
        expires_at)
      values ($1, $2, $3, 'https://issuer.example', $1, 'somebody@example.com', '192.0.2.1', $4, $5)`,
    [id, owner.organizationID, hashToken(pollToken), now, new Date(now.getTime() + 60_000)],
  );
  return { params: { deviceRequestID: id } };
};

/** An invited address without an account, and the magic link that proves it. */
const ofInvitationLink =
  (body?: object): Prepare =>
  async (server, { call }) => {
    const email = `invited${++made}@example.org`;
    const { id } = await call(inviteMember, { body: { email, role: "auditor" } });
    await server.client()(sendMagicLink, { body: { email } });
    const magicLinkToken = await server.linkToken(email);
    return { params: { invitationID: id }, body: { magicLinkToken, ...body } };
  };

const withoutParams =
  (prepare: Prepare): Prepare =>
  async (server, owner) => {
    const { body = {} } = await prepare(server, owner);
    return { body };
  };

const onPlan =
  (plan: "free" | "pro"): Prepare =>
  async ({ query }, { organizationID }) => {
    await query("update organizations set plan = $1 where id = $2", [plan, organizationID]);
    return {};
  };

const identityProvider = () => ({
  issuerURL: "https://issuer.example",
  clientID: "sample",
  clientSecret: "sample",
  allowedDomains: ["example.com"],
  defaultRole: "administrator" as const,
});

const returned: Prepare = () => ({
  body: { oidcRequestToken: "sample", location: "http://localhost:8080/auth/oidc-callback?code=a&state=b" },
});

const loginToken = async (server: TestServer) => {
  const { loginURL } = await server.client()(startEndpointAuth);
  return new URL(loginURL).searchParams.get("loginToken") ?? "";
};

const samples: Record<string, Prepare> = {
  signup: () => ({ body: { email: `sample${++made}@example.org` } }),
  sendMagicLink: (_server, { email }) => ({ body: { email } }),
  verifyMagicLink: async (server, { email }) => {
    await server.client()(sendMagicLink, { body: { email } });
    return { body: { magicLinkToken: await server.linkToken(email) } };
  },
  signOut: nothing,
  logInWithTotp: (server, { totpSecret }) => {
    server.advance(60_000);
    return { body: { code: server.code(totpSecret) } };
  },
  whoami: nothing,
  getOidcProvider: nothing,
  updateOidcProvider: () => ({ body: identityProvider() }),
  deleteOidcProvider: async (_server, { call }) => {
    await call(updateOidcProvider, { body: identityProvider() });
    return {};
  },
  testOidcProvider: () => ({ body: identityProvider() }),
  verifyOidcTrial: returned,
  listDomains: nothing,
  addDomain: () => ({ body: { domain: `sample${++made}.example` } }),
  verifyDomain: ofDomain,
  removeDomain: ofDomain,
  listDeviceRequests: nothing,
  approveDeviceRequest: ofDeviceRequest,
  rejectDeviceRequest: ofDeviceRequest,
  verifyOidc: returned,
  startOidc: (_server, { organizationID }) => ({ params: { orgID: organizationID } }),
  listTotpAuthenticators: nothing,
  getTotpAuthenticator: ofAuthenticator(),
  createTotpAuthenticator: () => ({ body: { name: "Sample" } }),
  verifyTotpAuthenticator: pendingSetup,
  updateTotpAuthenticator: ofAuthenticator({ name: "Renamed" }),
  deleteTotpAuthenticator: async (server, owner) => {
    const { body } = await pendingSetup(server, owner);
    const { authenticator } = await owner.call(verifyTotpAuthenticator, { body: body as never });
    return { params: { totpID: authenticator.id } };
  },
  deleteOrganization: (_server, { organizationID }) => ({ params: { organizationID } }),
  updateOrganization: (_server, { organizationID }) => ({
    params: { organizationID },
    body: { name: "Renamed" },
  }),
  getFeatureFlags: nothing,
  getBilling: nothing,
  listInvoices: nothing,
  startCheckout: onPlan("free"),
  confirmCheckout: onPlan("free"),
  openBillingPortal: nothing,
  downgradePlan: onPlan("pro"),
  receiveBillingEvent: nothing,
  listMembers: nothing,
  inviteMember: () => ({ body: { email: `invited${++made}@example.org`, role: "auditor" } }),
  updateMember: ofInvitation({ role: "administrator" }),
  removeMember: ofInvitation(),
  readmitMember: ofRemovedMember,
  leaveOrganization: async ({ query, ctx }, { organizationID }) => {
    await query(
      "insert into users (id, organization_id, email, role, created_at) values ($1, $2, $3, 'owner', $4)",
      [newId("user"), organizationID, `owner${++made}@example.org`, ctx.clock()],
    );
    return {};
  },
  listInvitations: nothing,
  declineInvitation: async (server, { email }) => {
    const inviter = await server.signUp();
    const { id } = await inviter.call(inviteMember, { body: { email, role: "auditor" } });
    return { params: { invitationID: id } };
  },
  listInvitationsByLink: withoutParams(ofInvitationLink()),
  acceptInvitation: ofInvitationLink({ role: "auditor" }),
  declineInvitationByLink: ofInvitationLink(),
  createOwnOrganization: withoutParams(ofInvitationLink()),
  listSessions: nothing,
  revokeSession: async (server, { email, call }) => {
    await server.client()(sendMagicLink, { body: { email } });
    const body = { magicLinkToken: await server.linkToken(email) };
    await server.client()(verifyMagicLink, { body });
    const other = (await call(listSessions)).find(({ isCurrent }) => !isCurrent);
    return { params: { sessionID: other?.id ?? "" } };
  },
  revokeSessions: nothing,
  contactSupport: () => ({ body: { subject: "Sample", message: "Sample" } }),
  listNetworks: nothing,
  listNetworksV2: nothing,
  getNetwork: ofNetwork(),
  getNetworkV2: ofNetwork(),
  createNetwork: () => ({ body: { name: `Sample ${++made}` } }),
  createNetworkV2: () => ({ body: { name: `Sample ${++made}` } }),
  updateNetwork: ofNetwork((name) => ({ name })),
  updateNetworkV2: ofNetwork((name) => ({ name, lighthousesAsRelays: true })),
  deleteNetwork: ofNetwork(),
  addNetworkCidr: ofNetwork(() => ({ cidr: "10.0.0.0/24" })),
  listRoles: nothing,
  createRole: () => ({ body: { name: `Sample ${++made}` } }),
  getRole: ofRole(),
  updateRole: ofRole((name) => ({ name })),
  getRoleDependents: ofRole(),
  deleteRole: ofRole(),
  listCertificateAuthorities: nothing,
  rotateCa: ofNetwork(() => ({})),
  getCaRotation: ofNetwork(),
  listHosts: nothing,
  listHostsV2: nothing,
  createHost: newHost,
  createHostV2: newHost,
  getHost: ofHost(),
  getHostV2: ofHost(),
  getHostState: ofHost(),
  getGetStarted: nothing,
  updateHostV2: ofHost((name) => ({ name })),
  updateHostV3: ofHost((name) => ({ name })),
  deleteHost: ofHost(),
  blockHost: ofHost(),
  blockHostV2: ofHost(),
  unblockHost: ofBlockedHost,
  unblockHostV2: ofBlockedHost,
  createEnrollmentCode: ofHost(),
  createHostAndEnrollmentCode: newHost,
  createHostAndEnrollmentCodeV2: newHost,
  runHostCommand: ofHost(() => ({ command: "DebugStack" })),
  bulkHosts: () => ({ body: { filter: { search: "nobody" }, action: "block" } }),
  getJob: async (_server, { call }) => {
    const { jobID } = await call(bulkHosts, { body: { filter: { search: "nobody" }, action: "block" } });
    return { params: { jobID } };
  },
  listTags: nothing,
  createTag: () => ({ body: { name: `sample:${++made}` } }),
  getTag: ofTag(),
  updateTag: ofTag({ description: "Changed" }),
  getTagDependents: ofTag(),
  deleteTag: ofTag(),
  listRoutes: nothing,
  createRoute: () => ({ body: { name: `Sample ${++made}` } }),
  getRoute: ofRoute(),
  updateRoute: ofRoute((name) => ({ name })),
  deleteRoute: ofRoute(),
  planImport: () => ({ body: importOfRole() }),
  applyImport: async (_server, { call }) => {
    const { planToken } = await call(planImport, { body: importOfRole() });
    return { body: { planToken } };
  },
  enrollHost: enrollable,
  sendAgentMessage: fromAgent,
  startEndpointAuth: nothing,
  pollEndpointAuth: async (server) => {
    const { pollToken } = await server.client()(startEndpointAuth);
    return { query: { pollToken } };
  },
  getEndpointSignIn: async (server) => ({ query: { loginToken: await loginToken(server) } }),
  startEndpointSignIn: async (server, { organizationID }) => ({
    body: { loginToken: await loginToken(server), organization: organizationID },
  }),
  verifyEndpointSignIn: returned,
  getDownloads: nothing,
  listApiKeys: nothing,
  createApiKey: () => ({ body: { name: "Sample", scopes: ["networks:list"] } }),
  getApiKey: ofApiKey(),
  updateApiKey: ofApiKey({ name: "Renamed", scopes: ["networks:read"] }),
  rotateApiKey: ofApiKey({ overlapSeconds: 60 }),
  deleteApiKey: ofApiKey(),
  listAuditLogs: nothing,
  verifyAuditLogs: nothing,
  exportAuditLogs: nothing,
  streamEvents: nothing,
  reportClientError: () => ({ body: { message: "broken" } }),
};

/** A key made without the call that makes keys: that one asks for a fresh second factor. */
export async function insertApiKey(
  { ctx }: TestServer,
  { organizationID, userID, email }: Session,
  scopes: Scope[],
): Promise<{ id: string; token: string }> {
  const id = newId("lkkey");
  const token = `${id}-${base32(randomBytes(32))}`;
  const name = `Key ${++made}`;
  await ctx.audited(async (tx) => {
    await tx
      .insertInto("api_keys")
      .values({
        id,
        organization_id: organizationID,
        name,
        scopes,
        token_hash: hashToken(token),
        previous_token_hash: null,
        previous_expires_at: null,
        expires_at: null,
        last_used_at: null,
        created_at: ctx.clock(),
        created_by_id: userID,
        created_by_email: email,
      })
      .execute();
    return done(
      {},
      {
        organizationID,
        actor: { type: "user", id: userID, email },
        target: { type: "apiKey", id },
        event: "CREATED",
        before: null,
        after: { name, scopes },
      },
    );
  });
  return { id, token };
}

export function endpointNamed(name: string): Endpoint {
  const endpoint = endpoints.get(name);
  if (!endpoint) throw new Error(`There is no endpoint ${name}`);
  return endpoint;
}

export async function prepare(name: string, server: TestServer, owner: Session): Promise<Sample> {
  const sample = samples[name];
  if (!sample) throw new Error(`Say in testing/requests.ts what a request of ${name} looks like`);
  return sample(server, owner);
}

export interface Received {
  status: number;
  codes: string[];
}

/** Sends it with exactly these tokens; a stream is left as soon as it has begun. */
export async function send(
  server: TestServer,
  name: string,
  { params = {}, query = {}, body }: Sample,
  tokens: string[],
): Promise<Received> {
  const endpoint = endpointNamed(name);
  const response = await fetch(new URL(pathOf(endpoint, { params, query }), server.url), {
    method: endpoint.method,
    ...(tokens.length > 0 && { headers: { authorization: `Bearer ${tokens.join(" ")}` } }),
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.ok) await response.body?.cancel();
  const { errors = [] } = response.ok ? {} : ((await response.json()) as { errors: { code: string }[] });
  return { status: response.status, codes: errors.map(({ code }) => code) };
}

const SSO_SESSION_MS = 16 * 3_600_000;

/** Somebody of the organization who signed in by single sign-on; answers their token. */
export async function insertSsoUser(
  { ctx, query }: TestServer,
  { organizationID }: Pick<Session, "organizationID">,
  role: MemberRole = "administrator",
): Promise<string> {
  const [id, token, now] = [newId("oidcuser"), `${OIDC_TOKEN_PREFIX}${newToken()}`, ctx.clock()];
  await query(
    `insert into oidc_users (id, organization_id, issuer, subject, email, role, created_at, signed_in_at)
      values ($1, $2, 'https://issuer.example', $1, 'somebody@example.com', $3, $4, $4)`,
    [id, organizationID, role, now],
  );
  await query(
    `insert into oidc_sessions (id, organization_id, oidc_user_id, token_hash, created_at, last_used_at, expires_at)
      values ($1, $2, $3, $4, $5, $5, $6)`,
    [newId("session"), organizationID, id, hashToken(token), now, new Date(now.getTime() + SSO_SESSION_MS)],
  );
  return token;
}
