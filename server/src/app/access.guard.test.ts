/** Lists who may call each endpoint, so that a change of access is deliberate. */
import { type Endpoint, isWrite, requiredRoleOf } from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import { describe, expect, it } from "vitest";
import { endpointNamed } from "../testing/requests.ts";

const names = [...endpoints.keys()];
const namesOf = (kind: Endpoint["access"]["kind"]) =>
  names.filter((name) => endpointNamed(name).access.kind === kind);
const expectNames = (found: readonly string[], wanted: readonly string[]) =>
  expect([...found].sort()).toEqual([...wanted].sort());

const callsOfOwners = [
  "updateOidcProvider",
  "deleteOidcProvider",
  "testOidcProvider",
  "verifyOidcTrial",
  "addDomain",
  "verifyDomain",
  "removeDomain",
  "deleteOrganization",
  "startCheckout",
  "confirmCheckout",
  "openBillingPortal",
  "downgradePlan",
  "inviteMember",
  "updateMember",
  "removeMember",
  "readmitMember",
];

describe("access", () => {
  it("is public for these endpoints, and no others", () => {
    expectNames(namesOf("public"), [
      "signup",
      "sendMagicLink",
      "verifyMagicLink",
      "startOidc",
      "verifyOidc",
      "getEndpointSignIn",
      "startEndpointSignIn",
      "verifyEndpointSignIn",
      "receiveBillingEvent",
      "listInvitationsByLink",
      "acceptInvitation",
      "declineInvitationByLink",
      "createOwnOrganization",
      "getDownloads",
      "reportClientError",
    ]);
  });

  it("is open to agents, without a session, for these endpoints, and no others", () => {
    expectNames(namesOf("agent"), [
      "enrollHost",
      "sendAgentMessage",
      "startEndpointAuth",
      "pollEndpointAuth",
    ]);
  });

  it("is open to user tokens without a second factor for these endpoints, and no others", () => {
    expectNames(namesOf("userToken"), [
      "logInWithTotp",
      "logInWithRecoveryCode",
      "createTotpAuthenticator",
      "verifyTotpAuthenticator",
    ]);
    expectNames(namesOf("anyone"), ["whoami"]);
    expectNames(namesOf("presentedTokens"), ["signOut"]);
  });

  it("is never open to API keys for these endpoints of the console", () => {
    expectNames(namesOf("session"), [
      "getOidcProvider",
      "listDomains",
      "listDeviceRequests",
      "approveDeviceRequest",
      "rejectDeviceRequest",
      "updateOrganization",
      "getFeatureFlags",
      "getBilling",
      "listInvoices",
      "listMembers",
      "leaveOrganization",
      "listCertificateAuthorities",
      "rotateCa",
      "getCaRotation",
      "upgradeNetwork",
      "finishNetworkUpgrade",
      "revertNetworkUpgrade",
      "getNetworkUpgrade",
      "getGetStarted",
      "listApiKeys",
      "createApiKey",
      "getApiKey",
      "updateApiKey",
      "rotateApiKey",
      "deleteApiKey",
      "exportAuditLogs",
      "verifyAuditLogs",
      "contactSupport",
      "streamEvents",
    ]);
    expectNames(namesOf("user"), [
      "listTotpAuthenticators",
      "getTotpAuthenticator",
      "updateTotpAuthenticator",
      "deleteTotpAuthenticator",
      "getRecoveryCodes",
      "createRecoveryCodes",
      ...callsOfOwners,
      "listSessions",
      "revokeSession",
      "revokeSessions",
      "listInvitations",
      "declineInvitation",
    ]);
  });

  it("is open to auditors for these writes of their own data, and no others", () => {
    const auditorWrites = names.filter((name) => {
      const endpoint = endpointNamed(name);
      const isForMembers = ["session", "user", "scope"].includes(endpoint.access.kind);
      return isForMembers && isWrite(endpoint) && requiredRoleOf(endpoint) === "auditor";
    });
    expectNames(auditorWrites, [
      "updateTotpAuthenticator",
      "deleteTotpAuthenticator",
      "createRecoveryCodes",
      "leaveOrganization",
      "revokeSession",
      "revokeSessions",
      "declineInvitation",
      "contactSupport",
      "checkAccess",
      "checkGuarantee",
      "lintRules",
    ]);
  });

  it("is limited to owners for these endpoints, and no others", () => {
    expectNames(
      names.filter((name) => requiredRoleOf(endpointNamed(name)) === "owner"),
      callsOfOwners,
    );
  });

  /** The scope that a call needs by its method and path. */
  function regularScope({ noun, method, path }: Endpoint): string {
    const isForOne = path.endsWith("}");
    const actions = { GET: isForOne ? "read" : "list", POST: "create", PUT: "update", DELETE: "delete" };
    return `${noun}:${actions[method]}`;
  }

  it("requires the scope of the method and path, except for these endpoints", () => {
    const irregular = namesOf("scope").flatMap((name) => {
      const endpoint = endpointNamed(name);
      const needed = endpoint.access.kind === "scope" ? endpoint.access.scopes.join() : "";
      return needed === regularScope(endpoint) ? [] : [[name, needed]];
    });
    expect(Object.fromEntries(irregular)).toEqual({
      addNetworkCidr: "networks:update",
      getAttention: "hosts:list,networks:list,guarantees:list",
      getHostState: "hosts:read",
      getNetworkMap: "hosts:list,routes:list",
      getHostTraffic: "hosts:read",
      getBlockProgress: "hosts:read",
      blockHost: "hosts:block",
      blockHostV2: "hosts:block",
      unblockHost: "hosts:unblock",
      unblockHostV2: "hosts:unblock",
      createEnrollmentCode: "hosts:enroll",
      createHostAndEnrollmentCode: "hosts:create,hosts:enroll",
      createHostAndEnrollmentCodeV2: "hosts:create,hosts:enroll",
      runHostCommand: "hosts:debug",
      bulkHosts: "hosts:update,hosts:block,hosts:unblock,hosts:delete",
      getJob: "hosts:update",
      getTagDependents: "tags:read,hosts:list,roles:read,routes:read",
      getRoleDependents: "roles:read,hosts:list,tags:read,routes:read",
      planImport: "hosts:create,hosts:update,roles:create,roles:update,tags:create,tags:update",
      applyImport: "hosts:create,hosts:update,roles:create,roles:update,tags:create,tags:update",
      checkAccess: "access:read",
      getHostAccess: "access:read",
      getAccessMatrix: "access:read",
      lintRules: "access:read",
      listRuleLints: "access:read",
      previewAccess: "access:read",
      getAccessDiff: "audit-logs:list",
      checkGuarantee: "guarantees:read",
      suspendGuarantee: "guarantees:update",
      resumeGuarantee: "guarantees:update",
      rotateNotificationSecret: "notification-channels:update",
      testNotificationChannel: "notification-channels:update",
      listNotificationDeliveries: "notification-channels:read",
      getNotificationDelivery: "notification-channels:read",
      resendNotificationDelivery: "notification-channels:update",
    });
  });

  it("requires additional scopes for these parameters, and no others", () => {
    const further = names.flatMap((name) => {
      const { access } = endpointNamed(name);
      const scopesWhen = access.kind === "scope" ? access.scopesWhen : undefined;
      return scopesWhen ? [[name, scopesWhen] as const] : [];
    });
    const detach = ["hosts:update", "roles:update", "tags:update", "routes:update"];
    expect(Object.fromEntries(further)).toEqual({ deleteTag: { detach }, deleteRole: { detach } });
  });
});
