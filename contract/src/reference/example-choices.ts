/** What examples show beyond what a call requires. */
import { exampleID, times } from "./field.ts";

/** Parameters of the query, by the name of the endpoint. */
export const exampleQueries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  listHosts: { "filter.tag": "env:production" },
  listHostsV2: { "filter.tag": "env:production", sort: "name" },
  listRoles: { pageSize: "100" },
  listGuarantees: { "filter.state": "failing" },
  getHostAccess: { "filter.search": "web" },
  getAccessMatrix: { detail: "groups" },
  listCertificateAuthorities: { "filter.networkID": exampleID("network") },
  listAuditLogs: { "filter.targetType": "host", "filter.from": "2026-03-01T00:00:00Z" },
  exportAuditLogs: { timeFrame: "30d", format: "csv" },
  deleteRole: { detach: "true" },
  deleteTag: { detach: "true" },
  removeMember: { revokeAPIKeys: "true" },
};

/** Optional fields of the body, by the name of the endpoint. */
export const optionalBodyFields: Readonly<Record<string, readonly string[]>> = {
  createHost: ["roleID", "tags"],
  createHostV2: ["roleID", "tags"],
  createHostAndEnrollmentCode: ["roleID", "tags"],
  createHostAndEnrollmentCodeV2: ["roleID", "tags", "codeLifetimeSeconds"],
  updateHostV2: ["name", "roleID", "tags"],
  updateHostV3: ["name", "roleID", "tags"],
  bulkHosts: ["ids"],
  createRole: ["description", "firewallRules"],
  updateRole: ["description", "firewallRules"],
  createTag: ["description", "firewallRules"],
  updateTag: ["description", "firewallRules"],
  createRoute: ["routerHostID", "routableCIDRs", "firewallRules"],
  updateRoute: ["routerHostID", "routableCIDRs", "firewallRules"],
  createGuarantee: ["portRange", "description"],
  checkGuarantee: ["portRange"],
  updateGuarantee: ["portRange", "description"],
  checkAccess: ["port"],
  createNotificationChannel: ["url"],
  updateNotificationChannel: ["url"],
  createNotificationRule: ["tags", "thresholdMinutes"],
  updateNotificationRule: ["tags", "thresholdMinutes"],
  createNetwork: ["cidr"],
  createNetworkV2: ["cidrs"],
  rotateCa: ["force"],
  createApiKey: ["expiresAt"],
  createTotpAuthenticator: ["name"],
  updateOidcProvider: ["clientSecret", "allowedDomains", "defaultRole"],
  testOidcProvider: ["clientSecret", "allowedDomains", "defaultRole"],
  enrollHost: ["dhPubkey", "edPubkey", "timestamp"],
  startEndpointSignIn: ["organization"],
  reportClientError: ["path", "version"],
};

const newHost = {
  modifiedAt: times.created,
  metadata: {
    lastSeenAt: null,
    platform: null,
    version: null,
    updateAvailable: null,
    statuses: ["neverEnrolled"],
    agent: null,
    certificateExpiresAt: null,
    enrolledAt: null,
  },
};
const blockedHost = { isBlocked: true, metadata: { statuses: ["blocked"], certificateExpiresAt: null } };
const waitingHost = {
  id: exampleID("host"),
  name: "web-1",
  isOnline: false,
  lastSeenAt: times.recent,
  nebulaVersion: "1.11.0",
};
/** An upgrade that waits for a person to start its last step. */
const readyUpgrade = {
  cidr: "fd12:3456:789a::/64",
  step: "INITIATE",
  canFinish: true,
  waitingFor: { hostCount: 0, hosts: [] },
};
const suspension = { reason: "Migration of the database", until: times.soon };

/** Values in `data` that follow from the request, by the name of the endpoint. */
export const responseValues: Readonly<Record<string, unknown>> = {
  createHost: newHost,
  createHostV2: newHost,
  createHostAndEnrollmentCode: { host: newHost },
  createHostAndEnrollmentCodeV2: { host: newHost },
  blockHost: { host: blockedHost },
  blockHostV2: blockedHost,
  runHostCommand: { vpnIp: "10.42.0.8", currentRemote: { ip: "203.0.113.7", port: 4242 } },
  listGuarantees: { state: "failing", failingSince: times.recent, brokenPairCount: 1 },
  suspendGuarantee: { state: "suspended", suspension },
  createRole: { hostCount: 0, modifiedAt: times.created },
  createTag: { hostCount: 0 },
  createNetwork: { hostCount: 0 },
  createNetworkV2: { hostCount: 0 },
  addNetworkCidr: { cidrs: ["10.42.0.0/16", "fd12:3456:789a::/64"], certVersion: 2 },
  rotateCa: { step: "TRUST", waitingFor: { hostCount: 12 } },
  upgradeNetwork: { newCAID: null, cidr: readyUpgrade.cidr },
  getNetworkUpgrade: readyUpgrade,
  finishNetworkUpgrade: {
    ...readyUpgrade,
    step: "ONLY",
    canFinish: false,
    canRevert: false,
    waitingFor: { hostCount: 1, hosts: [waitingHost] },
  },
  revertNetworkUpgrade: {
    ...readyUpgrade,
    step: "BOTH",
    isReverting: true,
    canFinish: false,
    canRevert: false,
    waitingFor: { hostCount: 1, hosts: [waitingHost] },
  },
  checkAccess: { pairCount: 1, allowedPairCount: 1, example: { source: { name: "web-1" } } },
  getHostAccess: { host: { id: exampleID("host"), name: "web-1", ipAddress: "10.42.0.7" } },
  createApiKey: { lastUsedAt: null },
  rotateApiKey: { previousExpiresAt: times.soon },
  inviteMember: {
    id: exampleID("invite"),
    kind: "invitation",
    expiresAt: times.soon,
    invitedBy: "grace@example.com",
  },
  addDomain: { state: "pending", verifiedAt: null },
  listInvoices: [
    {
      id: "in_1Q2w3E4r5T",
      number: "LK-0042",
      status: "paid",
      totalMinor: 14200,
      currency: "usd",
      createdAt: times.created,
      url: "https://billing.example.com/invoices/LK-0042",
    },
  ],
  getFeatureFlags: { LIST_CERT_AUTHORITIES: true },
};

/** Responses that aren't JSON, by the name of the endpoint. */
export const rawResponses: Readonly<Record<string, string>> = {
  exportAuditLogs: [
    "timestamp,id,actorType,actor,action,targetType,targetID,before,after",
    `${times.recent},${exampleID("log")},user,ada@example.com,CREATED_ENROLL_CODE,host,${exampleID("host")},,`,
  ].join("\r\n"),
  streamEvents: `event: change\ndata: {"noun":"hosts","id":"${exampleID("host")}"}\n`,
};
