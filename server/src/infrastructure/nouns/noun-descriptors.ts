/** What the server knows about every noun. The transfer, the audit log, live updates and agents derive from it. */
import type { Noun } from "@lightkeeper/contract";
import type { Tables } from "../db/tables.ts";

type Table = keyof Tables;

export interface NounDescriptor {
  /** Tables that belong to the noun: an export contains them. */
  tables: readonly Table[];
  views?: readonly Table[];
  /** Where the audit log reads the current name of an object by its ID. */
  names?: { table: Table; id: string; name: string };
  /** Nouns whose console pages show data of this noun, for example host counts. */
  shownIn?: readonly Noun[];
  /** Nouns whose console pages show what hosts report about this noun. */
  reportsShownIn?: readonly Noun[];
  /** The agents whose configuration a change can affect, in addition to those of the network that the change names. */
  wakes?: "host" | "organization";
}

const namedBy = <T extends Table>(table: T, { id = "id", name = "name" } = {}) => ({ table, id, name });

export const nounDescriptors = {
  hosts: {
    tables: [
      "hosts",
      "host_tags",
      "host_counts",
      "host_tag_set_counts",
      "host_presence",
      "host_revisions",
      "host_blocks",
      "host_certificates",
      "host_credentials",
      "host_commands",
      "host_command_chunks",
      "enrollment_codes",
    ],
    names: namedBy("hosts"),
    shownIn: ["roles", "tags", "networks", "certificate-authorities", "guarantees"],
    reportsShownIn: ["get-started", "attention"],
    wakes: "host",
  },
  // Reports about tunnels change all the time, but no list of hosts.
  "host-state": { tables: ["host_reports", "host_traffic"], reportsShownIn: ["get-started"] },
  roles: {
    tables: ["roles"],
    names: namedBy("roles"),
    shownIn: ["hosts", "guarantees"],
    wakes: "organization",
  },
  routes: {
    tables: ["routes", "route_subscriptions"],
    names: namedBy("routes"),
    shownIn: ["hosts", "tags", "guarantees"],
    wakes: "organization",
  },
  guarantees: {
    tables: ["guarantees"],
    names: namedBy("guarantees", { name: "description" }),
    shownIn: ["attention"],
  },
  access: { tables: ["access_changes", "access_diffs"] },
  tags: {
    tables: ["tags"],
    names: namedBy("tags", { id: "name" }),
    shownIn: ["hosts", "guarantees"],
    wakes: "organization",
  },
  networks: {
    tables: ["networks", "free_addresses", "network_upgrades"],
    names: namedBy("networks"),
    shownIn: ["hosts", "get-started", "guarantees", "attention"],
  },
  "certificate-authorities": {
    tables: ["certificate_authorities", "ca_rotations"],
    names: namedBy("certificate_authorities"),
    shownIn: ["hosts", "networks", "guarantees", "attention"],
  },
  attention: { tables: [] },
  "notification-channels": {
    tables: ["notification_channels", "notification_channel_states"],
    names: namedBy("notification_channels"),
    shownIn: ["notification-rules", "attention"],
  },
  "notification-rules": {
    tables: [
      "notification_rules",
      "notification_rule_states",
      "notification_cursors",
      "notification_subjects",
      "notification_events",
    ],
    names: namedBy("notification_rules", { name: "event_type" }),
  },
  "notification-deliveries": {
    tables: ["notification_deliveries"],
    reportsShownIn: ["notification-channels", "attention"],
  },
  "audit-logs": { tables: ["audit_logs", "audit_heads"] },
  "api-keys": { tables: ["api_keys"], names: namedBy("api_keys") },
  members: {
    tables: ["users", "oidc_users", "endpoint_users"],
    views: ["members"],
    names: namedBy("members", { name: "email" }),
    // A member's role decides what their console offers. Recovery codes are audited as changes of their user.
    shownIn: ["auth", "recovery-codes"],
  },
  invitations: { tables: ["invitations"] },
  "totp-authenticators": {
    tables: ["totp_authenticators", "totp_setups"],
    names: namedBy("totp_authenticators"),
  },
  "recovery-codes": { tables: ["recovery_codes"] },
  sessions: { tables: ["sessions", "auth_tokens", "known_browsers"] },
  "oidc-provider": { tables: ["oidc_providers", "oidc_sessions", "oidc_requests"] },
  domains: {
    tables: ["organization_domains"],
    names: namedBy("organization_domains", { id: "domain", name: "domain" }),
  },
  "device-requests": { tables: ["device_requests"] },
  // Consoles read the organization's name with the current user.
  organizations: { tables: ["organizations"], shownIn: ["auth"], wakes: "organization" },
  billing: { tables: ["billing_accounts", "subscriptions"] },
  jobs: { tables: ["jobs", "job_items"] },
  auth: { tables: ["magic_links", "setup_codes", "rate_limits", "mail_jobs"] },
  agents: { tables: ["endpoint_auth_requests", "seen_signatures", "signing_keys"] },
  import: { tables: ["import_plans"] },
  downloads: { tables: [] },
  events: { tables: [] },
  support: { tables: [] },
  "get-started": { tables: [] },
  "feature-flags": { tables: ["feature_flags"] },
  "client-errors": { tables: [] },
} as const satisfies Record<Noun, NounDescriptor>;

type Descriptors = typeof nounDescriptors;
type Listed = {
  [N in Noun]: Descriptors[N] extends { views: readonly (infer View)[] }
    ? Descriptors[N]["tables"][number] | View
    : Descriptors[N]["tables"][number];
}[Noun];

/** Doesn't compile while a table belongs to no noun. */
const assertAllListed = <_Unlisted extends never>() => undefined;
assertAllListed<Exclude<Table, Listed>>();

export const descriptors: readonly NounDescriptor[] = Object.values(nounDescriptors);

/** Undefined for the nouns of messages between servers, which are no part of the API. */
export const findDescriptor = (noun: string): NounDescriptor | undefined =>
  Object.hasOwn(nounDescriptors, noun) ? nounDescriptors[noun as Noun] : undefined;
