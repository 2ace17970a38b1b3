/** A request to every endpoint that an owner is allowed to send. */
import {
  bulkHosts,
  createRecoveryCodes,
  inviteMember,
  listSessions,
  planImport,
  sendMagicLink,
  startEndpointAuth,
  updateOidcProvider,
  verifyMagicLink,
  verifyTotpAuthenticator,
} from "@lightkeeper/contract";
import { newId } from "../infrastructure/crypto/ids.ts";
import { MINUTE_MS } from "../infrastructure/time/durations.ts";
import { withIpv6Network, withReadyUpgrade, withUpgrade } from "./network-samples.ts";
import {
  sampleChannel,
  sampleRule,
  withChangedChannel,
  withChannel,
  withDelivery,
  withRule,
} from "./notification-samples.ts";
import {
  createLoginToken,
  deleteIdentityProvider,
  identityProvider,
  nextSample,
  type Prepare,
  roleImport,
  sampleGuarantee,
  sampleSuspension,
  withAccessCheck,
  withAccessDiff,
  withAgentMessage,
  withApiKey,
  withAuthenticator,
  withBlockedHost,
  withDeviceRequest,
  withDomain,
  withEnrollmentCode,
  withGuarantee,
  withHost,
  withInvitation,
  withInvitationLink,
  withNetwork,
  withNewHost,
  withoutInput,
  withoutParams,
  withPendingSetup,
  withPlan,
  withRemovedMember,
  withRole,
  withRolePreview,
  withRoute,
  withSignInReturn,
  withSuspendedGuarantee,
  withTag,
} from "./sample-inputs.ts";

export const sampleRequests: Record<string, Prepare> = {
  signup: () => ({ body: { email: `sample${nextSample()}@example.org` } }),
  sendMagicLink: (_server, { email }) => ({ body: { email } }),
  verifyMagicLink: async (server, { email }) => {
    await server.client()(sendMagicLink, { body: { email } });
    return { body: { magicLinkToken: await server.linkToken(email) } };
  },
  signOut: withoutInput,
  logInWithTotp: (server, { totpSecret }) => {
    server.advance(MINUTE_MS);
    return { body: { code: server.code(totpSecret) } };
  },
  whoami: withoutInput,
  getOidcProvider: withoutInput,
  updateOidcProvider: () => ({ body: identityProvider() }),
  deleteOidcProvider: async (_server, { call }) => {
    await call(updateOidcProvider, { body: identityProvider() });
    return {};
  },
  testOidcProvider: () => ({ body: identityProvider() }),
  verifyOidcTrial: withSignInReturn,
  listDomains: withoutInput,
  addDomain: () => ({ body: { domain: `sample${nextSample()}.example` } }),
  verifyDomain: withDomain,
  removeDomain: withDomain,
  listDeviceRequests: withoutInput,
  approveDeviceRequest: withDeviceRequest,
  rejectDeviceRequest: withDeviceRequest,
  verifyOidc: withSignInReturn,
  startOidc: async (server, owner) => {
    await deleteIdentityProvider(server, owner);
    return { params: { orgID: owner.organizationID } };
  },
  getRecoveryCodes: withoutInput,
  createRecoveryCodes: withoutInput,
  logInWithRecoveryCode: async (_server, { call }) => {
    const [code = ""] = (await call(createRecoveryCodes)).codes;
    return { body: { code } };
  },
  listTotpAuthenticators: withoutInput,
  getTotpAuthenticator: withAuthenticator(),
  createTotpAuthenticator: () => ({ body: { name: "Sample" } }),
  verifyTotpAuthenticator: withPendingSetup,
  updateTotpAuthenticator: withAuthenticator({ name: "Renamed" }),
  deleteTotpAuthenticator: async (server, owner) => {
    const { body } = await withPendingSetup(server, owner);
    const { authenticator } = await owner.call(verifyTotpAuthenticator, { body: body as never });
    return { params: { totpID: authenticator.id } };
  },
  deleteOrganization: (_server, { organizationID }) => ({ params: { organizationID } }),
  updateOrganization: (_server, { organizationID }) => ({
    params: { organizationID },
    body: { name: "Renamed" },
  }),
  getFeatureFlags: withoutInput,
  getBilling: withoutInput,
  listInvoices: withoutInput,
  startCheckout: withPlan("free"),
  confirmCheckout: withPlan("free"),
  openBillingPortal: withoutInput,
  downgradePlan: withPlan("pro"),
  receiveBillingEvent: withoutInput,
  listMembers: withoutInput,
  inviteMember: () => ({ body: { email: `invited${nextSample()}@example.org`, role: "auditor" } }),
  updateMember: withInvitation({ role: "administrator" }),
  removeMember: withInvitation(),
  readmitMember: withRemovedMember,
  leaveOrganization: async ({ query, ctx }, { organizationID }) => {
    await query(
      "insert into users (id, organization_id, email, role, created_at) values ($1, $2, $3, 'owner', $4)",
      [newId("user"), organizationID, `owner${nextSample()}@example.org`, ctx.clock()],
    );
    return {};
  },
  listInvitations: withoutInput,
  declineInvitation: async (server, { email }) => {
    const inviter = await server.signUp();
    const { id } = await inviter.call(inviteMember, { body: { email, role: "auditor" } });
    return { params: { invitationID: id } };
  },
  listInvitationsByLink: withoutParams(withInvitationLink()),
  acceptInvitation: withInvitationLink({ role: "auditor" }),
  declineInvitationByLink: withInvitationLink(),
  createOwnOrganization: withoutParams(withInvitationLink()),
  listSessions: withoutInput,
  revokeSession: async (server, { email, call }) => {
    await server.client()(sendMagicLink, { body: { email } });
    const body = { magicLinkToken: await server.linkToken(email) };
    await server.client()(verifyMagicLink, { body });
    const other = (await call(listSessions)).find(({ isCurrent }) => !isCurrent);
    return { params: { sessionID: other?.id ?? "" } };
  },
  revokeSessions: withoutInput,
  contactSupport: () => ({ body: { subject: "Sample", message: "Sample" } }),
  listNetworks: withoutInput,
  listNetworksV2: withoutInput,
  getNetwork: withNetwork(),
  getNetworkV2: withNetwork(),
  createNetwork: () => ({ body: { name: `Sample ${nextSample()}` } }),
  createNetworkV2: () => ({ body: { name: `Sample ${nextSample()}` } }),
  updateNetwork: withNetwork((name) => ({ name })),
  updateNetworkV2: withNetwork((name) => ({ name, lighthousesAsRelays: true })),
  deleteNetwork: withNetwork(),
  addNetworkCidr: withIpv6Network,
  listRoles: withoutInput,
  createRole: () => ({ body: { name: `Sample ${nextSample()}` } }),
  getRole: withRole(),
  updateRole: withRole((name) => ({ name })),
  getRoleDependents: withRole(),
  deleteRole: withRole(),
  listCertificateAuthorities: withoutInput,
  rotateCa: withNetwork(() => ({})),
  getCaRotation: withNetwork(),
  upgradeNetwork: withNetwork(() => ({})),
  finishNetworkUpgrade: withReadyUpgrade,
  revertNetworkUpgrade: withUpgrade,
  getNetworkUpgrade: withNetwork(),
  listHosts: withoutInput,
  listHostsV2: withoutInput,
  createHost: withNewHost,
  createHostV2: withNewHost,
  getHost: withHost(),
  getHostV2: withHost(),
  getHostState: withHost(),
  getHostTraffic: withHost(),
  getBlockProgress: withHost(),
  getGetStarted: withoutInput,
  getAttention: withoutInput,
  updateHostV2: withHost((name) => ({ name })),
  updateHostV3: withHost((name) => ({ name })),
  deleteHost: withHost(),
  blockHost: withHost(),
  blockHostV2: withHost(),
  unblockHost: withBlockedHost,
  unblockHostV2: withBlockedHost,
  createEnrollmentCode: withHost(),
  createHostAndEnrollmentCode: withNewHost,
  createHostAndEnrollmentCodeV2: withNewHost,
  runHostCommand: withHost(() => ({ command: "DebugStack" })),
  bulkHosts: () => ({ body: { filter: { search: "nobody" }, action: "block" } }),
  getJob: async (_server, { call }) => {
    const { jobID } = await call(bulkHosts, { body: { filter: { search: "nobody" }, action: "block" } });
    return { params: { jobID } };
  },
  listTags: withoutInput,
  createTag: () => ({ body: { name: `sample:${nextSample()}` } }),
  getTag: withTag(),
  updateTag: withTag({ description: "Changed" }),
  getTagDependents: withTag(),
  deleteTag: withTag(),
  listRoutes: withoutInput,
  createRoute: () => ({ body: { name: `Sample ${nextSample()}` } }),
  getRoute: withRoute(),
  updateRoute: withRoute((name) => ({ name })),
  deleteRoute: withRoute(),
  checkAccess: withAccessCheck,
  getHostAccess: withHost(),
  getAccessMatrix: withNetwork(),
  getNetworkMap: withNetwork(),
  lintRules: () => ({ body: { type: "role", firewallRules: [{ protocol: "ICMP" }] } }),
  listRuleLints: withoutInput,
  listGuarantees: withoutInput,
  createGuarantee: () => ({ body: sampleGuarantee() }),
  checkGuarantee: () => ({ body: sampleGuarantee() }),
  getGuarantee: withGuarantee(),
  updateGuarantee: withGuarantee(() => sampleGuarantee()),
  deleteGuarantee: withGuarantee(),
  suspendGuarantee: withGuarantee(sampleSuspension),
  resumeGuarantee: withSuspendedGuarantee,
  previewAccess: withRolePreview,
  getAccessDiff: withAccessDiff,
  planImport: () => ({ body: roleImport() }),
  applyImport: async (_server, { call }) => {
    const { planToken } = await call(planImport, { body: roleImport() });
    return { body: { planToken } };
  },
  enrollHost: withEnrollmentCode,
  sendAgentMessage: withAgentMessage,
  startEndpointAuth: withoutInput,
  pollEndpointAuth: async (server) => {
    const { pollToken } = await server.client()(startEndpointAuth);
    return { query: { pollToken } };
  },
  getEndpointSignIn: async (server) => ({ query: { loginToken: await createLoginToken(server) } }),
  startEndpointSignIn: async (server, owner) => {
    await deleteIdentityProvider(server, owner);
    return { body: { loginToken: await createLoginToken(server), organization: owner.organizationID } };
  },
  verifyEndpointSignIn: withSignInReturn,
  getDownloads: withoutInput,
  listApiKeys: withoutInput,
  createApiKey: () => ({ body: { name: "Sample", scopes: ["networks:list"] } }),
  getApiKey: withApiKey(),
  updateApiKey: withApiKey({ name: "Renamed", scopes: ["networks:read"] }),
  rotateApiKey: withApiKey({ overlapSeconds: 60 }),
  deleteApiKey: withApiKey(),
  listNotificationChannels: withoutInput,
  createNotificationChannel: () => ({ body: sampleChannel() }),
  getNotificationChannel: withChannel(),
  updateNotificationChannel: withChangedChannel,
  deleteNotificationChannel: withChannel(),
  rotateNotificationSecret: withChannel(),
  testNotificationChannel: withChannel(),
  listNotificationDeliveries: withChannel(),
  getNotificationDelivery: withDelivery,
  resendNotificationDelivery: withDelivery,
  listNotificationRules: withoutInput,
  createNotificationRule: async (_server, owner) => ({ body: await sampleRule(owner) }),
  getNotificationRule: withRule,
  updateNotificationRule: async (server, owner) => ({
    ...(await withRule(server, owner)),
    body: await sampleRule(owner),
  }),
  deleteNotificationRule: withRule,
  listAuditLogs: withoutInput,
  verifyAuditLogs: withoutInput,
  exportAuditLogs: withoutInput,
  streamEvents: withoutInput,
  reportClientError: () => ({ body: { message: "broken" } }),
};
