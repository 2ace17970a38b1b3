/** What the control plane keeps of hosts and their agents. */
import type { HostCommand } from "@lightkeeper/contract";
import type { ColumnType, JSONColumnType } from "kysely";

/** Set when the row is made and never changed. */
export type Fixed<T> = ColumnType<T, T, never>;

export interface AgentTables {
  /** What an organization's answers to its agents are signed with. */
  signing_keys: {
    organization_id: Fixed<string>;
    public_key: Fixed<Buffer>;
    private_key: Fixed<Buffer>;
    created_at: Fixed<Date>;
  };
  /** Every one that was issued and has not expired; they outlive their hosts. */
  host_certificates: {
    fingerprint: Fixed<string>;
    organization_id: Fixed<string>;
    network_id: Fixed<string>;
    ca_id: Fixed<string>;
    host_id: Fixed<string>;
    public_key: Fixed<Buffer>;
    /** Of what it says about the host. */
    identity_hash: Fixed<string>;
    /** What it lets its host do; unknown of the oldest. */
    groups: Fixed<string[] | null>;
    unsafe_networks: Fixed<string[] | null>;
    not_before: Fixed<Date>;
    not_after: Fixed<Date>;
    /** When the host began to use a newer one. */
    superseded_at: Date | null;
    /** It lets its host do more than the one that followed: when the host has had time to let go of it. */
    revoke_after: Date | null;
    /** Since then on the blocklist. */
    revoked_at: Date | null;
  };
  /** The lowest counter of a host is in use; a higher one was sent and takes over when it is first used. */
  host_credentials: {
    host_id: Fixed<string>;
    counter: Fixed<number>;
    organization_id: Fixed<string>;
    /** Ed25519, 32 bytes. */
    signing_key: Buffer;
    /** The fingerprint of the certificate that goes with it. */
    certificate: string;
    /** The configuration without its certificate; null where it was too long to be kept. */
    config: string | null;
    /** Of that. */
    config_hash: string;
    /** What it was made for; null where the client did not tell. */
    nebula_version: string | null;
    /** Of the configuration as it was sent. */
    sent_hash: string;
    sent_kind: "config" | "certificate";
    sent_at: Date;
    /** The network's, when the configuration was made. */
    revision: number;
  };
  host_reports: {
    host_id: Fixed<string>;
    organization_id: Fixed<string>;
    config_hash: string;
    nebula_version: string | null;
    applied_at: Date | null;
    error: string | null;
    tunnels: JSONColumnType<{ vpnIp: string }[]>;
    reported_at: Date;
  };
  seen_signatures: {
    signature_hash: Fixed<Buffer>;
    seen_at: Fixed<Date>;
  };
  host_commands: {
    token: Fixed<string>;
    organization_id: Fixed<string>;
    host_id: Fixed<string>;
    action: JSONColumnType<HostCommand, string, never>;
    state: "queued" | "sent" | "streaming" | "done";
    response: ColumnType<unknown, never, string>;
    created_at: Fixed<Date>;
  };
  host_command_chunks: {
    token: Fixed<string>;
    sequence: Fixed<number>;
    bytes: Fixed<Buffer>;
  };
  endpoint_auth_requests: {
    poll_token_hash: Fixed<Buffer>;
    login_token_hash: Fixed<Buffer>;
    /** Of the code that whoever polls will be able to tell; null where a host that is known asks. */
    code_hash: Fixed<Buffer | null>;
    host_id: Fixed<string | null>;
    /** Shown by the device and by its sign-in page, for the person to compare. */
    verification_code: Fixed<string>;
    state: "WAITING" | "STARTED" | "PENDING_APPROVAL" | "REJECTED" | "COMPLETED";
    expires_at: Date;
  };
  /** One per network: the one under way, or the last. */
  ca_rotations: {
    network_id: Fixed<string>;
    organization_id: Fixed<string>;
    old_ca_id: string;
    new_ca_id: string;
    step: "TRUST" | "REISSUE" | "DONE";
    /** The network's, since which hosts have to have heard of the step. */
    step_revision: number;
    /** Hosts that are offline are not waited for in this step. */
    is_forced: boolean;
    started_at: Date;
    step_started_at: Date;
  };
}
