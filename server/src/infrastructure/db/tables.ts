import type {
  AuditActor,
  AuditEventType,
  AuditTargetType,
  ConfigOverrides,
  FirewallRule,
  HostsBulk,
  ImportPlan,
  Job,
  MemberRole,
  RouteFirewallRule,
  Scope,
} from "@lightkeeper/contract";
import type { ColumnType, GeneratedAlways, JSONColumnType, SelectType } from "kysely";
import type { AgentTables, Fixed } from "./agent-tables.ts";
import type { BillingTables } from "./billing-tables.ts";
import type { MemberTables } from "./member-tables.ts";

export interface MailContent {
  subject: string;
  lines: string[];
  replyTo?: string;
}
type Snapshot = object | string | null;

export interface Tables extends AgentTables, BillingTables, MemberTables {
  organizations: {
    id: Fixed<string>;
    name: string;
    plan: "free" | "pro" | "selfHosted";
    wanted_plan: "pro" | null;
    created_at: Fixed<Date>;
  };
  users: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    email: string;
    role: MemberRole;
    created_at: Fixed<Date>;
  };
  sessions: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    user_id: Fixed<string>;
    token_hash: Fixed<Buffer>;
    created_at: Fixed<Date>;
    last_used_at: Date;
    expires_at: Date;
    address: Fixed<string | null>;
    user_agent: Fixed<string | null>;
    /** When the second factor was first presented. */
    completed_at: ColumnType<Date | null, never, Date>;
  };
  auth_tokens: {
    token_hash: Fixed<Buffer>;
    session_id: Fixed<string>;
    authenticated_at: Fixed<Date>;
    expires_at: Date;
  };
  magic_links: {
    token_hash: Fixed<Buffer>;
    email: Fixed<string>;
    purpose: Fixed<"signIn" | "signUp">;
    plan: Fixed<"pro" | null>;
    /** Of the code that the link was requested with. */
    setup_code_hash: Fixed<Buffer | null>;
    expires_at: Fixed<Date>;
  };
  /** At most one: what the first account of a public server needs. */
  setup_codes: {
    id: Fixed<boolean>;
    code_hash: Buffer;
    created_at: Date;
  };
  mail_jobs: {
    id: GeneratedAlways<number>;
    kind: Fixed<"signIn" | "signUp" | "invitation" | "support" | "notice">;
    email: Fixed<string>;
    plan: Fixed<"pro" | null>;
    setup_code_hash: ColumnType<Buffer | null, Buffer | null | undefined, never>;
    /** What it is to say, where the kind does not. */
    content: JSONColumnType<MailContent> | null;
    attempts: ColumnType<number, never, number>;
    next_attempt_at: Date;
    created_at: Fixed<Date>;
  };
  totp_authenticators: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    user_id: Fixed<string>;
    name: string;
    secret: Fixed<Buffer>;
    last_used_step: number;
    /** Steps of the last codes used, in the order of their use. */
    recent_steps: ColumnType<number[], number[] | undefined, number[]>;
    last_used_at: Date | null;
    created_at: Fixed<Date>;
  };
  totp_setups: {
    token_hash: Fixed<Buffer>;
    id: Fixed<string>;
    organization_id: Fixed<string>;
    user_id: Fixed<string>;
    name: Fixed<string>;
    secret: Fixed<Buffer>;
    expires_at: Fixed<Date>;
  };
  api_keys: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    name: string;
    scopes: Scope[];
    token_hash: Buffer;
    previous_token_hash: Buffer | null;
    previous_expires_at: Date | null;
    expires_at: Date | null;
    last_used_at: Date | null;
    created_at: Fixed<Date>;
    /** Who created it, as of then; null where it was not recorded. */
    created_by_id: Fixed<string | null>;
    created_by_email: Fixed<string | null>;
  };
  feature_flags: {
    organization_id: Fixed<string>;
    name: Fixed<string>;
    value: boolean;
  };
  roles: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    name: string;
    description: string;
    firewall_rules: JSONColumnType<FirewallRule[]>;
    created_at: Fixed<Date>;
    modified_at: Date;
  };
  tags: {
    organization_id: Fixed<string>;
    name: Fixed<string>;
    description: string;
    /** The greater wins. */
    priority: number;
    config_overrides: JSONColumnType<ConfigOverrides>;
    firewall_rules: JSONColumnType<FirewallRule[]>;
    created_at: Fixed<Date>;
    modified_at: Date;
  };
  routes: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    name: string;
    description: string;
    router_host_id: string | null;
    routable_cidrs: JSONColumnType<Record<string, { install: boolean }>>;
    firewall_rules: JSONColumnType<RouteFirewallRule[]>;
    /** That a router's old Nebula opens more than the rules say is known and wanted. */
    accept_wider_rules: ColumnType<boolean, boolean | undefined, boolean>;
    created_at: Fixed<Date>;
    modified_at: Date;
  };
  /** The hosts that have the tag put the route into their tables. */
  route_subscriptions: {
    organization_id: Fixed<string>;
    tag: Fixed<string>;
    route_id: Fixed<string>;
  };
  hosts: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    network_id: Fixed<string>;
    role_id: string | null;
    endpoint_oidc_user_id: string | null;
    has_endpoint_user: GeneratedAlways<boolean>;
    /** When its person has to have signed in again. */
    endpoint_expires_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
    name: string;
    name_key: GeneratedAlways<string>;
    ip_address: Fixed<string>;
    static_addresses: string[];
    listen_port: number;
    is_lighthouse: Fixed<boolean>;
    is_relay: Fixed<boolean>;
    is_blocked: ColumnType<boolean, boolean | undefined, boolean>;
    tags: string[];
    config_overrides: JSONColumnType<ConfigOverrides>;
    /** What a search looks through. */
    search_text: string;
    enrolled_at: Date | null;
    is_enrolled: GeneratedAlways<boolean>;
    is_online: ColumnType<boolean, boolean | undefined, boolean>;
    /** Runs another configuration than it should. */
    is_drifted: ColumnType<boolean, boolean | undefined, boolean>;
    agent_name: string | null;
    agent_version: string | null;
    /** Which authority signed its live certificate. */
    ca_id: string | null;
    certificate_expires_at: Date | null;
    created_at: Fixed<Date>;
    modified_at: Date;
  };
  /** A row for every host, made with it. `-infinity`: never seen. */
  host_presence: {
    host_id: Fixed<string>;
    organization_id: Fixed<string>;
    network_id: Fixed<string>;
    last_seen_at: ColumnType<Date | number, never, Date>;
  };
  /** Follows `hosts.tags`. */
  host_tags: {
    organization_id: ColumnType<string, never, never>;
    host_id: ColumnType<string, never, never>;
    tag: ColumnType<string, never, never>;
    created_at: ColumnType<Date, never, never>;
    name_key: ColumnType<string, never, never>;
  };
  /** Follows `hosts`: how many there are in each cell; the tag '' stands for any and none. */
  host_counts: {
    organization_id: ColumnType<string, never, never>;
    tag: ColumnType<string, never, never>;
    network_id: ColumnType<string, never, never>;
    role_id: ColumnType<string | null, never, never>;
    is_lighthouse: ColumnType<boolean, never, never>;
    is_relay: ColumnType<boolean, never, never>;
    is_blocked: ColumnType<boolean, never, never>;
    is_enrolled: ColumnType<boolean, never, never>;
    is_online: ColumnType<boolean, never, never>;
    is_drifted: ColumnType<boolean, never, never>;
    has_endpoint_user: ColumnType<boolean, never, never>;
    agent_name: ColumnType<string | null, never, never>;
    agent_version: ColumnType<string | null, never, never>;
    count: ColumnType<number, never, never>;
  };
  /** Addresses below the network's `next_address` that were given back; follows `hosts`. */
  free_addresses: {
    network_id: ColumnType<string, never, never>;
    address: ColumnType<string, never, never>;
  };
  enrollment_codes: {
    host_id: Fixed<string>;
    organization_id: Fixed<string>;
    code_hash: Buffer;
    expires_at: Date;
    created_at: Date;
  };
  jobs: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    actor: JSONColumnType<AuditActor, string, never>;
    actor_address: Fixed<string | null>;
    action: JSONColumnType<HostsBulk, string, never>;
    state: Job["state"];
    done: number;
    total: number;
    errors: JSONColumnType<Job["errors"]>;
    created_at: Fixed<Date>;
    finished_at: Date | null;
  };
  /** What a job still has to do. */
  job_items: {
    job_id: Fixed<string>;
    item: Fixed<string>;
  };
  import_plans: {
    token_hash: Fixed<Buffer>;
    organization_id: Fixed<string>;
    /** The parsed items, in the form that `import/items.ts` defines. */
    things: JSONColumnType<object, string, never>;
    plan: JSONColumnType<Omit<ImportPlan, "planToken">, string, never>;
    expires_at: Fixed<Date>;
  };
  networks: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    name: string;
    description: string;
    cidr: Fixed<string>;
    curve: Fixed<"25519" | "P256">;
    cert_version: Fixed<1 | 2>;
    signing_ca_id: string;
    lighthouses_as_relays: boolean;
    disable_managed_lighthouses: boolean;
    /** Kept by the database. */
    host_count: ColumnType<number, never, never>;
    /** Every address below it is a host's or in `free_addresses`. */
    next_address: string;
    revision: ColumnType<number, never, number>;
    created_at: Fixed<Date>;
  };
  certificate_authorities: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    network_id: Fixed<string>;
    name: string;
    state: "PENDING" | "SIGNING" | "TRUSTED" | "RETIRED";
    curve: Fixed<"25519" | "P256">;
    cert_version: Fixed<1 | 2>;
    certificate: Fixed<string>;
    fingerprint: Fixed<string>;
    private_key: Fixed<Buffer>;
    not_before: Fixed<Date>;
    not_after: Fixed<Date>;
    created_at: Fixed<Date>;
  };
  audit_logs: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    created_at: ColumnType<Date, never, never>;
    actor: JSONColumnType<AuditActor, string, never>;
    target_type: Fixed<AuditTargetType>;
    target_id: Fixed<string>;
    event_type: Fixed<AuditEventType>;
    before: ColumnType<Snapshot, string | null, never>;
    after: ColumnType<Snapshot, string | null, never>;
    actor_address: Fixed<string | null>;
    sequence: ColumnType<number | null, never, number>;
    hash: ColumnType<Buffer | null, never, Buffer>;
  };
  audit_heads: {
    organization_id: Fixed<string>;
    sequence: number;
    hash: Buffer;
  };
  rate_limits: {
    key: Fixed<string>;
    /** When each attempt that still counts was made, oldest first. */
    hits: Date[];
    /** The attempt that was counted last. */
    latest: string;
    window_seconds: number;
  };
}

/**
 * Tables that hold the machinery's own notes rather than anything an organization owns. Only these can be
 * written without an audit entry.
 */
export type UnauditedTables = Pick<
  Tables,
  | "rate_limits"
  | "mail_jobs"
  | "magic_links"
  | "totp_setups"
  | "known_browsers"
  | "setup_codes"
  | "audit_heads"
  | "jobs"
  | "job_items"
  | "import_plans"
  | "host_credentials"
  | "host_reports"
  | "seen_signatures"
  | "host_commands"
  | "host_command_chunks"
  | "endpoint_auth_requests"
  | "oidc_sessions"
  | "oidc_requests"
  | "billing_accounts"
> & {
  sessions: Tables["sessions"];
  auth_tokens: Tables["auth_tokens"];
  /** When a key was last used is a note; everything else about it is not. */
  api_keys: { id: Fixed<string>; last_used_at: ColumnType<Date | null, never, Date> };
  host_presence: Pick<Tables["host_presence"], "host_id" | "last_seen_at">;
  /** What is heard from a host is a note; what it should be is not. */
  hosts: {
    [Column in "id" | "network_id" | "organization_id" | "is_enrolled" | "is_blocked"]: ReadOnly<
      Tables["hosts"][Column]
    >;
  } & {
    [
      Column in
        "is_online" | "is_drifted" | "agent_name" | "agent_version" | "ca_id" | "certificate_expires_at"
    ]: Noted<Tables["hosts"][Column]>;
  };
  /** Which of a host's certificates is in use is seen, and which have expired; revoking them is not a note. */
  host_certificates: Pick<Tables["host_certificates"], "not_after"> & {
    fingerprint: ReadOnly<string>;
    host_id: ReadOnly<string>;
    superseded_at: Noted<Date | null>;
    revoke_after: Noted<Date | null>;
  };
};

type ReadOnly<Column> = ColumnType<SelectType<Column>, never, never>;
/** Changed where it stands. */
type Noted<Column> = ColumnType<SelectType<Column>, never, SelectType<Column>>;
