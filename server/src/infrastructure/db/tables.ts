import type { ColumnType } from "kysely";
import type { AccessTables } from "./access-tables.ts";
import type { AccountTables } from "./account-tables.ts";
import type { AgentTables } from "./agent-tables.ts";
import type { AuditTables } from "./audit-tables.ts";
import type { BillingTables } from "./billing-tables.ts";
import type { Fixed, ReadOnly, Updatable } from "./column-types.ts";
import type { HostTables } from "./host-tables.ts";
import type { MemberTables } from "./member-tables.ts";
import type { NetworkTables } from "./network-tables.ts";
import type { NotificationTables } from "./notification-tables.ts";
import type { WorkTables } from "./work-tables.ts";

export interface Tables
  extends
    AccessTables,
    AccountTables,
    AgentTables,
    AuditTables,
    BillingTables,
    HostTables,
    MemberTables,
    NetworkTables,
    NotificationTables,
    WorkTables {}

/** Tables and columns that belong to the server rather than to an organization. Only these can be written without an audit entry. */
export type UnauditedTables = Pick<
  Tables,
  | "access_changes"
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
  | "host_traffic"
  | "host_revisions"
  | "seen_signatures"
  | "host_commands"
  | "host_command_chunks"
  | "endpoint_auth_requests"
  | "oidc_sessions"
  | "oidc_requests"
  | "billing_accounts"
  | "notification_cursors"
  | "notification_rule_states"
  | "notification_subjects"
  | "notification_events"
  | "notification_channel_states"
  | "notification_deliveries"
> & {
  sessions: Tables["sessions"];
  auth_tokens: Tables["auth_tokens"];
  /** The last use is recorded without an audit entry. */
  api_keys: { id: Fixed<string>; last_used_at: ColumnType<Date | null, never, Date> };
  host_presence: Pick<Tables["host_presence"], "host_id" | "last_seen_at">;
  /** The agent's reports are stored without an audit entry. */
  hosts: {
    [Column in "id" | "network_id" | "organization_id" | "is_enrolled" | "is_blocked"]: ReadOnly<
      Tables["hosts"][Column]
    >;
  } & {
    [
      Column in
        | "is_online"
        | "is_drifted"
        | "agent_name"
        | "agent_version"
        | "ca_id"
        | "certificate_expires_at"
    ]: Updatable<Tables["hosts"][Column]>;
  };
  /** Acknowledgments are recorded without an audit entry; the block is audited. */
  host_blocks: {
    [Column in "host_id" | "network_id" | "revision"]: ReadOnly<Tables["host_blocks"][Column]>;
  } & {
    [Column in "half_acknowledged_at" | "completed_at"]: Updatable<Tables["host_blocks"][Column]>;
  };
  /** The use and expiry of certificates are recorded without an audit entry; revoking them is audited. */
  host_certificates: Pick<Tables["host_certificates"], "not_after"> & {
    fingerprint: ReadOnly<string>;
    host_id: ReadOnly<string>;
    superseded_at: Updatable<Date | null>;
    revoke_after: Updatable<Date | null>;
  };
};
