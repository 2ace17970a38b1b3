/** The model: what organizations should contain. Plain data, so that it can be cloned for each order of a batch. */
import type { AuditEventType, AuditTargetType, MemberRole, Scope } from "@lightkeeper/contract";

export interface ModelRule {
  protocol: "ANY" | "TCP" | "UDP" | "ICMP";
  description: string;
  allowedRoleID: string | null;
  allowedTags?: string[];
  portRange: { from: number; to: number } | null;
}
export interface ModelRouteRule extends ModelRule {
  localCIDR: string;
}

export interface Override {
  key: string;
  value: unknown;
}

export interface ModelMember {
  id: string;
  email: string;
  role: MemberRole;
  kind: "user" | "invitation";
}

export interface ModelKey {
  id: string;
  name: string;
  scopes: Scope[];
  createdByID: string;
  /** Only the newest token works. */
  tokenCount: number;
}

/** A certificate of a host, by which other hosts recognize it. */
export interface ModelCertificate {
  fingerprint: string;
  caID: string;
  name: string;
  addresses: string[];
  groups: string[];
  subnets: string[];
  /** Whether it will be revoked, because the one in use allows less. */
  isToBeRevoked: boolean;
}

export interface ModelHost {
  id: string;
  networkID: string;
  name: string;
  roleID: string | null;
  /** IPv4 first. */
  addresses: string[];
  staticAddresses: string[];
  listenPort: number;
  isLighthouse: boolean;
  isRelay: boolean;
  isBlocked: boolean;
  tags: string[];
  configOverrides: Override[];
  /** The newest enrollment code. */
  code: string | null;
  wasEnrolled: boolean;
  /** Unrevoked certificates; the last one is in use. Empty unless the agent has credentials. */
  certificates: ModelCertificate[];
  /** What the agent received last. */
  received: ExpectedConfig | null;
}

export interface ModelNetwork {
  id: string;
  name: string;
  description: string;
  /** IPv4 first. */
  cidrs: string[];
  curve: "25519" | "P256";
  certVersion: 1 | 2;
  lighthousesAsRelays: boolean;
  signingCAID: string;
  trustedCAIDs: string[];
  /** Revoked certificates with their CAs, including those of deleted hosts. */
  revoked: { fingerprint: string; caID: string }[];
  /** The CA that replaces the signing one, while all hosts have to trust it first. */
  rotation: { step: "TRUST" | "REISSUE"; oldCAID: string; newCAID: string; hasTrust: string[] } | null;
  upgrade: { step: "NEBULA"; cidr: string } | null;
}

export interface ModelRole {
  id: string;
  name: string;
  description: string;
  firewallRules: ModelRule[];
}

/** In the list, tags with a lower priority come first. */
export interface ModelTag {
  name: string;
  description: string;
  configOverrides: Override[];
  routeSubscriptions: string[];
  firewallRules: ModelRule[];
}

export interface ModelRoute {
  id: string;
  name: string;
  routerHostID: string | null;
  routableCIDRs: Record<string, { install: boolean }>;
  firewallRules: ModelRouteRule[];
}

export type Selector = { type: "role" | "tag" | "host"; id: string } | { type: "any" };

export interface ModelGuarantee {
  id: string;
  type: "MUST_REACH" | "MUST_NEVER_REACH";
  source: Selector;
  destination: Selector;
  protocol: "TCP" | "UDP" | "ICMP";
  portRange: { from: number; to: number } | null;
  networkID: string | null;
  isSuspended: boolean;
}

export interface ModelChannel {
  id: string;
  type: "EMAIL" | "WEBHOOK";
  name: string;
  isEnabled: boolean;
  addresses: string[];
  url: string | null;
}

export interface ModelNotificationRule {
  id: string;
  eventType: "HOST_OFFLINE" | "HOST_BLOCKED" | "MEMBER_ADDED";
  thresholdMinutes: number | null;
  tags: string[];
  roleIDs: string[];
  channelIDs: string[];
}

export interface ModelEntry {
  /** The ID of a person, key or host, or "system". */
  actor: string;
  targetType: AuditTargetType;
  targetID: string;
  event: AuditEventType;
}

export interface Organization {
  id: string;
  /** Everybody who has or had credentials. */
  callers: string[];
  members: ModelMember[];
  keys: ModelKey[];
  networks: ModelNetwork[];
  hosts: ModelHost[];
  roles: ModelRole[];
  tags: ModelTag[];
  routes: ModelRoute[];
  guarantees: ModelGuarantee[];
  channels: ModelChannel[];
  notificationRules: ModelNotificationRule[];
  entries: ModelEntry[];
  /** The number of audit entries that were there before the run. */
  earlierEntryCount: number;
}

export interface State {
  organizations: Organization[];
  /** Milliseconds by which the server's clock was moved. */
  advancedMs: number;
}

/** The parts of a host's configuration that depend on other objects. */
export interface ExpectedConfig {
  inbound: string[];
  unsafeRoutes: string[];
  lighthouses: string[];
  relays: string[];
  staticHostMap: Record<string, string[]>;
  isLighthouse: boolean;
  isRelay: boolean;
  listenPort: number;
  /** The addresses that the host tells lighthouses. */
  advertised: string[];
  mtu: number;
  trustedCAIDs: string[];
  blocklist: string[];
}

export const findByID = <T extends { id: string }>(items: readonly T[], id: string): T | undefined =>
  items.find((item) => item.id === id);

export function getByID<T extends { id: string }>(items: readonly T[], id: string): T {
  const item = findByID(items, id);
  if (!item) throw new Error(`The model has no ${id}`);
  return item;
}

export function removeByID(items: { id: string }[], id: string): void {
  const index = items.findIndex((item) => item.id === id);
  if (index !== -1) items.splice(index, 1);
}

/** Names are compared without case. */
export const hasName = (
  items: readonly { id: string; name: string }[],
  name: string,
  exceptID = "",
): boolean => items.some((item) => item.id !== exceptID && item.name.toLowerCase() === name.toLowerCase());

export const hostsIn = ({ hosts }: Organization, networkID: string): ModelHost[] =>
  hosts.filter((host) => host.networkID === networkID);

export const certificateInUse = ({ certificates }: ModelHost): ModelCertificate | undefined =>
  certificates.at(-1);

export function record(
  organization: Organization,
  actor: string,
  [targetType, targetID]: [AuditTargetType, string],
  event: AuditEventType,
): void {
  organization.entries.push({ actor, targetType, targetID, event });
}
