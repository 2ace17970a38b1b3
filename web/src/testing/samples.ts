/** Sample API objects for tests. */
import type {
  ApiKey,
  Billing,
  CurrentUser,
  Dependents,
  HostV2,
  Invitation,
  NetworkV2,
  Organization,
  Role,
  Route,
  Tag,
} from "@lightkeeper/contract";

const ID = "A".repeat(26);

export const organization: Organization = {
  id: `org-${ID}`,
  name: "example.com",
  plan: "free",
  createdAt: "2026-11-01T09:00:00Z",
};

export const userOf = (hasTOTPAuthenticator: boolean): Extract<CurrentUser, { actorType: "user" }> => ({
  actorType: "user",
  actor: {
    id: `user-${ID}`,
    email: "ada@example.com",
    type: "user",
    role: "owner",
    hasTOTPAuthenticator,
    createdAt: "2026-11-01T09:00:00Z",
  },
  organization,
});

export const user = userOf(true);

export const oidcUser: CurrentUser = {
  actorType: "oidcUser",
  actor: {
    id: `oidcuser-${ID}`,
    email: "grace@example.com",
    issuer: "https://id.example.com",
    subject: "grace",
    type: "oidcUser",
    role: "administrator",
  },
  organization,
};

export const invitation: Invitation = {
  id: `invite-${ID}`,
  organizationName: "Harbor",
  invitedBy: "grace@example.com",
  role: "auditor",
  expiresAt: "2099-01-01T00:00:00Z",
};

export const apiKey: CurrentUser = {
  actorType: "apiKey",
  actor: { id: `lkkey-${ID}`, name: "terraform", type: "apiKey" },
  organization,
};

export const network: NetworkV2 = {
  id: `network-${ID}`,
  organizationID: organization.id,
  name: "Production",
  description: "",
  cidrs: ["100.100.0.0/22"],
  certVersion: 1,
  curve: "25519",
  signingCAID: `ca-${ID}`,
  lighthousesAsRelays: false,
  disableManagedLighthouses: false,
  hostCount: 0,
  createdAt: "2026-11-01T09:00:00Z",
};

export const host: HostV2 = {
  description: "",
  owner: "",
  id: `host-${ID}`,
  organizationID: organization.id,
  networkID: network.id,
  roleID: null,
  endpointOIDCUserID: null,
  name: "web-1",
  ipAddresses: ["100.100.0.7"],
  staticAddresses: [],
  listenPort: 0,
  isLighthouse: false,
  isRelay: false,
  isBlocked: false,
  createdAt: "2026-11-01T09:00:00Z",
  modifiedAt: "2026-11-01T09:00:00Z",
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
  tags: [],
  configOverrides: [],
};

/** The same host after it has enrolled. */
export const enrolledHost: HostV2 = {
  ...host,
  metadata: {
    lastSeenAt: "2026-11-15T08:59:00Z",
    platform: "dnclient",
    version: "0.1.0",
    updateAvailable: false,
    statuses: ["online"],
    agent: { name: "lightkeeper-agent", version: "0.1.0", nebulaVersion: "1.9.7" },
    certificateExpiresAt: "2027-11-02T09:00:00Z",
    enrolledAt: "2026-11-02T09:00:00Z",
  },
};

export const role: Role = {
  id: `role-${ID}`,
  name: "Web",
  description: "",
  firewallRules: [
    {
      protocol: "TCP",
      portRange: { from: 22, to: 22 },
      allowedRoleID: null,
      allowedTags: [],
      description: "",
    },
    {
      protocol: "UDP",
      portRange: { from: 8000, to: 8010 },
      allowedRoleID: null,
      allowedTags: ["env:prod", "tier:db"],
      description: "",
    },
    { protocol: "ANY", portRange: null, allowedRoleID: null, allowedTags: [], description: "" },
  ],
  hostCount: 0,
  createdAt: "2026-11-01T09:00:00Z",
  modifiedAt: "2026-11-02T09:00:00Z",
};

export const tag: Tag = {
  name: "env:prod",
  description: "",
  priority: 1,
  configOverrides: [],
  routeSubscriptions: [],
  firewallRules: [],
  firewallRulesCount: 0,
  hostCount: 0,
};

/** The dependents of a role or tag that nothing uses. */
export const noDependents: Dependents = {
  hostCount: 0,
  hosts: [],
  ruleCount: 0,
  removedRuleCount: 0,
  ruleOwnerCount: 0,
  ruleOwners: [],
  isUsedForDevices: false,
};

export const route: Route = {
  id: `route-${ID}`,
  name: "Office",
  description: "",
  routableCIDRs: { "192.168.4.0/24": { install: true } },
  acceptWiderRules: false,
  firewallRules: [],
  createdAt: "2026-11-01T09:00:00Z",
  modifiedAt: "2026-11-02T09:00:00Z",
};

export const billing: Billing = {
  plan: "free",
  provider: "stripe",
  hostCount: 82,
  hostLimit: 100,
  status: "none",
  currentPeriodEnd: null,
};

/** The same organization on a paid plan. */
export const paidBilling: Billing = {
  ...billing,
  plan: "pro",
  hostLimit: null,
  status: "active",
  currentPeriodEnd: "2026-12-15T09:00:00Z",
  paymentMethod: { kind: "visa", last4: "4242" },
};

export const auditor: Extract<CurrentUser, { actorType: "user" }> = {
  ...user,
  actor: { ...user.actor, role: "auditor" },
};

export const key: ApiKey = {
  id: `lkkey-${ID}`,
  name: "Terraform",
  scopes: ["hosts:list", "hosts:read"],
  expiresAt: null,
  lastUsedAt: null,
  previousExpiresAt: null,
  createdAt: "2026-11-01T09:00:00Z",
  createdBy: { id: user.actor.id, email: user.actor.email },
};
