import type { AuditActor, AuditEventType, AuditTargetType, FirewallRule, Scope } from "@lightkeeper/contract";
import type { ColumnType, GeneratedAlways, JSONColumnType } from "kysely";

/** Set when the row is made and never changed. */
type Fixed<T> = ColumnType<T, T, never>;
type Snapshot = object | string | null;

export interface Tables {
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
    expires_at: Fixed<Date>;
  };
  mail_jobs: {
    id: GeneratedAlways<number>;
    kind: Fixed<"signIn" | "signUp">;
    email: Fixed<string>;
    plan: Fixed<"pro" | null>;
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
    token_hash: Fixed<Buffer>;
    expires_at: Date | null;
    last_used_at: Date | null;
    created_at: Fixed<Date>;
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
    host_count: ColumnType<number, never, number>;
    created_at: Fixed<Date>;
    modified_at: Date;
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
    host_count: ColumnType<number, never, number>;
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
  };
}

/**
 * Tables that hold the machinery's own notes rather than anything an organization owns. Only these can be
 * written without an audit entry.
 */
export type BookkeepingTables = Pick<
  Tables,
  "rate_limits" | "mail_jobs" | "magic_links" | "totp_setups" | "audit_heads"
> & {
  sessions: Tables["sessions"];
  auth_tokens: Tables["auth_tokens"];
  /** When a key was last used is a note; everything else about it is not. */
  api_keys: { id: Fixed<string>; last_used_at: ColumnType<Date | null, never, Date> };
};
