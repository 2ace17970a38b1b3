/** Every noun of the API: what the contract, the server and the console derive from it. */
interface Descriptor {
  /** How the audit log calls an object of this noun. */
  auditTarget?: string;
  /** The first part of its IDs. */
  idPrefix?: string;
  /** The scopes of API keys, and their label in the console. */
  scopes?: { label: string; actions: readonly string[] };
}

const changes = ["create", "read", "list", "update", "delete"] as const;

/** The API reference, the scopes and the filters of the audit log keep this order. */
export const nouns = {
  hosts: {
    auditTarget: "host",
    idPrefix: "host",
    scopes: { label: "Hosts", actions: [...changes, "enroll", "block", "unblock", "debug"] },
  },
  "host-state": {},
  roles: { auditTarget: "role", idPrefix: "role", scopes: { label: "Roles", actions: changes } },
  routes: { auditTarget: "route", idPrefix: "route", scopes: { label: "Routes", actions: changes } },
  guarantees: {
    auditTarget: "guarantee",
    idPrefix: "guarantee",
    scopes: { label: "Guarantees", actions: changes },
  },
  access: { idPrefix: "diff", scopes: { label: "Access", actions: ["read"] } },
  tags: { auditTarget: "tag", scopes: { label: "Tags", actions: changes } },
  networks: { auditTarget: "network", idPrefix: "network", scopes: { label: "Networks", actions: changes } },
  "certificate-authorities": { auditTarget: "ca", idPrefix: "ca" },
  attention: {},
  "notification-channels": {
    auditTarget: "notificationChannel",
    idPrefix: "channel",
    scopes: { label: "Notification channels", actions: changes },
  },
  "notification-rules": {
    auditTarget: "notificationRule",
    idPrefix: "rule",
    scopes: { label: "Notification rules", actions: changes },
  },
  "notification-deliveries": { idPrefix: "delivery" },
  "audit-logs": { idPrefix: "log", scopes: { label: "Audit log", actions: ["list"] } },
  "api-keys": { auditTarget: "apiKey", idPrefix: "lkkey" },
  members: { auditTarget: "user", idPrefix: "user" },
  invitations: { idPrefix: "invite" },
  "totp-authenticators": { auditTarget: "totp", idPrefix: "totp" },
  "recovery-codes": {},
  sessions: { idPrefix: "session" },
  "oidc-provider": { auditTarget: "oidcProvider", idPrefix: "oidc" },
  domains: { auditTarget: "domain" },
  "device-requests": { auditTarget: "deviceRequest", idPrefix: "devicerequest" },
  organizations: { auditTarget: "organization", idPrefix: "org" },
  billing: { auditTarget: "billing" },
  jobs: { idPrefix: "job" },
  auth: {},
  agents: {},
  import: {},
  downloads: {},
  events: {},
  support: {},
  "get-started": {},
  "feature-flags": {},
  "client-errors": {},
} as const satisfies Record<string, Descriptor>;

type Nouns = typeof nouns;
export type Noun = keyof Nouns;

/** The values that a property of the descriptors has. */
type ValueOf<Key extends keyof Descriptor> = {
  [N in Noun]: Nouns[N] extends Record<Key, infer Value extends string> ? Value : never;
}[Noun];
export type AuditTargetType = ValueOf<"auditTarget">;
/** Members and device owners of single sign-on have prefixes of their own. */
export type IdPrefix = ValueOf<"idPrefix"> | "oidcuser" | "eoidcuser";
export type Scope = {
  [N in Noun]: Nouns[N] extends { scopes: { actions: readonly (infer Action extends string)[] } }
    ? `${N}:${Action}`
    : never;
}[Noun];

const descriptors = Object.entries<Descriptor>(nouns);

export const auditTargetTypes = descriptors.flatMap(([, { auditTarget }]) => auditTarget ?? []) as [
  AuditTargetType,
  ...AuditTargetType[],
];

export const scopes = descriptors.flatMap(([noun, descriptor]) =>
  (descriptor.scopes?.actions ?? []).map((action) => `${noun}:${action}`),
) as [Scope, ...Scope[]];
