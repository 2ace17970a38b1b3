/** Creates what a request needs, and returns its parameters and body. */
import {
  addDomain,
  blockHostV2,
  createEnrollmentCode,
  createGuarantee,
  createHostV2,
  createNetwork,
  createRole,
  createRoute,
  createTag,
  createTotpAuthenticator,
  inviteMember,
  listAuditLogs,
  listTotpAuthenticators,
  sendMagicLink,
  startEndpointAuth,
  suspendGuarantee,
  updateHostV3,
  updateOidcProvider,
} from "@lightkeeper/contract";
import { newId } from "../infrastructure/crypto/ids.ts";
import { hashToken } from "../infrastructure/crypto/tokens.ts";
import { MINUTE_MS } from "../infrastructure/time/durations.ts";
import { insertApiKey } from "./api-keys.ts";
import type { Session, TestServer } from "./server.ts";
import { insertSsoUser } from "./sso-users.ts";
import { enrollBody, TestAgent } from "./test-agent.ts";

export interface Sample {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
}

export type Prepare = (server: TestServer, owner: Session) => Sample | Promise<Sample>;

export const withoutInput: Prepare = () => ({});

let sampleCount = 0;
/** Numbers the names of samples, so that they stay unique. */
export const nextSample = () => ++sampleCount;

export const withNetwork =
  (body?: (name: string) => object): Prepare =>
  async (_server, { call }) => {
    const { id } = await call(createNetwork, { body: { name: `Sample ${nextSample()}` } });
    return { params: { networkID: id }, ...(body && { body: body(`Renamed ${sampleCount}`) }) };
  };

export const withAuthenticator =
  (body?: object): Prepare =>
  async (_server, { call }) => {
    const [first] = await call(listTotpAuthenticators);
    return { params: { totpID: first?.id ?? "" }, ...(body && { body }) };
  };

export const withRole =
  (body?: (name: string) => object): Prepare =>
  async (_server, { call }) => {
    const { id } = await call(createRole, { body: { name: `Sample ${nextSample()}` } });
    return { params: { roleID: id }, ...(body && { body: body(`Renamed ${sampleCount}`) }) };
  };

const createSampleNetwork = async ({ call }: Session) =>
  (await call(createNetwork, { body: { name: `Sample ${nextSample()}` } })).id;

export const withNewHost: Prepare = async (_server, owner) => ({
  body: { name: `sample-${nextSample()}`, networkID: await createSampleNetwork(owner) },
});

export const withHost =
  (body?: (name: string) => object): Prepare =>
  async (_server, owner) => {
    const host = { name: `sample-${nextSample()}`, networkID: await createSampleNetwork(owner) };
    const { id } = await owner.call(createHostV2, { body: host });
    return { params: { hostID: id }, ...(body && { body: body(`renamed-${sampleCount}`) }) };
  };

export const withAccessCheck: Prepare = async (server, owner) => {
  const { params } = await withHost()(server, owner);
  const host = { hostID: params?.hostID ?? "" };
  return { body: { source: host, destination: host, protocol: "TCP", port: 22 } };
};

/** A host with another role gets another configuration. */
export const withAccessDiff: Prepare = async (server, owner) => {
  const { params } = await withHost()(server, owner);
  const { id: roleID } = await owner.call(createRole, { body: { name: `Sample ${nextSample()}` } });
  const hostID = params?.hostID ?? "";
  const body = { roleID, staticAddresses: [], listenPort: 0 };
  await owner.call(updateHostV3, { params: { hostID }, body });
  const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": hostID } });
  return { params: { diffID: data[0]?.accessDiff?.id ?? "" } };
};

export const withBlockedHost: Prepare = async (server, owner) => {
  const sample = await withHost()(server, owner);
  await owner.call(blockHostV2, { params: { hostID: sample.params?.hostID ?? "" } });
  return sample;
};

export const withTag =
  (body?: object): Prepare =>
  async (_server, { call }) => {
    const { name } = await call(createTag, { body: { name: `sample:${nextSample()}` } });
    return { params: { tag: name }, ...(body && { body }) };
  };

export const withRoute =
  (body?: (name: string) => object): Prepare =>
  async (_server, { call }) => {
    const { id } = await call(createRoute, { body: { name: `Sample ${nextSample()}` } });
    return { params: { routeID: id }, ...(body && { body: body(`Renamed ${sampleCount}`) }) };
  };

export const sampleGuarantee = () =>
  ({
    type: "MUST_NEVER_REACH",
    source: { type: "any" },
    destination: { type: "any" },
    protocol: "TCP",
    portRange: { from: 23, to: 23 },
    description: `Sample ${nextSample()}`,
  }) as const;

export const withGuarantee =
  (body?: (now: Date) => object): Prepare =>
  async ({ ctx }, { call }) => {
    const { id } = await call(createGuarantee, { body: sampleGuarantee() });
    return { params: { guaranteeID: id }, ...(body && { body: body(ctx.clock()) }) };
  };

export const sampleSuspension = (now: Date) => ({
  reason: "Migration",
  until: new Date(now.getTime() + MINUTE_MS).toISOString(),
});

export const withSuspendedGuarantee: Prepare = async (server, owner) => {
  const sample = await withGuarantee()(server, owner);
  await owner.call(suspendGuarantee, {
    params: { guaranteeID: sample.params?.guaranteeID ?? "" },
    body: sampleSuspension(server.ctx.clock()),
  });
  return sample;
};

/** A new role doesn't change who reaches whom. */
export const withRolePreview: Prepare = () => {
  const body = { name: `Sample ${nextSample()}` };
  return { body: { mutations: [{ method: "POST", path: "/v1/roles", body }] } };
};

export const roleImport = () =>
  ({ format: "yaml", content: `roles: [{ name: Sample ${nextSample()} }]` }) as const;

export const withApiKey =
  (body?: object): Prepare =>
  async (server, owner) => {
    const id = await insertApiKey(server, owner, []).then((key) => key.id);
    return { params: { apiKeyID: id }, ...(body && { body }) };
  };

export const withPendingSetup: Prepare = async (server, { call }) => {
  const { totpToken, secret } = await call(createTotpAuthenticator, { body: { name: "Sample" } });
  return { body: { totpToken, code: server.code(secret) } };
};

export const withEnrollmentCode: Prepare = async (server, owner) => {
  const { params } = await withHost()(server, owner);
  const hostID = params?.hostID ?? "";
  const { code } = await owner.call(createEnrollmentCode, { params: { hostID } });
  return { body: enrollBody(code) };
};

export const withAgentMessage: Prepare = async (server, owner) => {
  const { params } = await withHost()(server, owner);
  const agent = await TestAgent.enrollHost(server.url, owner, params?.hostID ?? "");
  agent.skewMs = server.ctx.clock().getTime() - Date.now();
  return { body: agent.request("CheckForUpdate") };
};

export const withInvitation =
  (body?: object): Prepare =>
  async (_server, { call }) => {
    const invited = { email: `invited${nextSample()}@example.org`, role: "auditor" } as const;
    const { id } = await call(inviteMember, { body: invited });
    return { params: { memberID: id }, ...(body && { body }) };
  };

export const withRemovedMember: Prepare = async (server, owner) => {
  await insertSsoUser(server, owner);
  const removed = await server.query<{ id: string }>(
    "update oidc_users set removed_at = created_at where organization_id = $1 returning id",
    [owner.organizationID],
  );
  return { params: { memberID: removed[0]?.id ?? "" } };
};

export const withDomain: Prepare = async (_server, { call }) => {
  const domain = `sample${nextSample()}.example`;
  await call(addDomain, { body: { domain } });
  return { params: { domain } };
};

export const withDeviceRequest: Prepare = async (server, owner) => {
  const networkID = await createSampleNetwork(owner);
  await owner.call(updateOidcProvider, {
    body: { ...identityProvider(), endpoint: { networkID, requiresApproval: true } },
  });
  const { pollToken } = await server.client()(startEndpointAuth);
  const [id, now] = [newId("devicerequest"), server.ctx.clock()];
  await server.query(
    `insert into device_requests (id, organization_id, poll_token_hash, issuer, subject, email, address, created_at,
        expires_at)
      values ($1, $2, $3, 'https://issuer.example', $1, 'somebody@example.com', '192.0.2.1', $4, $5)`,
    [id, owner.organizationID, hashToken(pollToken), now, new Date(now.getTime() + MINUTE_MS)],
  );
  return { params: { deviceRequestID: id } };
};

/** An invited address without an account, and its magic link. */
export const withInvitationLink =
  (body?: object): Prepare =>
  async (server, { call }) => {
    const email = `invited${nextSample()}@example.org`;
    const { id } = await call(inviteMember, { body: { email, role: "auditor" } });
    await server.client()(sendMagicLink, { body: { email } });
    const magicLinkToken = await server.linkToken(email);
    return { params: { invitationID: id }, body: { magicLinkToken, ...body } };
  };

export const withoutParams =
  (prepare: Prepare): Prepare =>
  async (server, owner) => {
    const { body = {} } = await prepare(server, owner);
    return { body };
  };

export const withPlan =
  (plan: "free" | "pro"): Prepare =>
  async ({ query }, { organizationID }) => {
    await query("update organizations set plan = $1 where id = $2", [plan, organizationID]);
    return {};
  };

export const identityProvider = () => ({
  issuerURL: "https://issuer.example",
  clientID: "sample",
  clientSecret: "sample",
  allowedDomains: ["example.com"],
  defaultRole: "administrator" as const,
});

/** Without a provider, a sign-in is rejected before anything is fetched. */
export const deleteIdentityProvider = ({ query }: TestServer, { organizationID }: Session) =>
  query("delete from oidc_providers where organization_id = $1", [organizationID]);

export const withSignInReturn: Prepare = () => ({
  body: { oidcRequestToken: "sample", location: "http://localhost:8080/auth/oidc-callback?code=a&state=b" },
});

export const createLoginToken = async (server: TestServer) => {
  const { loginURL } = await server.client()(startEndpointAuth);
  return new URL(loginURL).searchParams.get("loginToken") ?? "";
};
