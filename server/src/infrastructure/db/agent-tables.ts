/** What the control plane stores about hosts and their agents. */
import type { HostCommand } from "@lightkeeper/contract";
import type { ReportedSystem, ReportedTunnel } from "@lightkeeper/contract/agent";
import type { ColumnType, JSONColumnType } from "kysely";
import type { Fixed } from "./column-types.ts";

export interface AgentTables {
  /** The keys that sign an organization's responses to its agents. */
  signing_keys: {
    organization_id: Fixed<string>;
    public_key: Fixed<Buffer>;
    private_key: Fixed<Buffer>;
    /** Created when the first host of a network with curve P256 enrolls. */
    p256_public_key: ColumnType<Buffer | null, undefined, Buffer>;
    p256_private_key: ColumnType<Buffer | null, undefined, Buffer>;
    created_at: Fixed<Date>;
  };
  /** Every issued certificate until it expires, also after its host is deleted. */
  host_certificates: {
    fingerprint: Fixed<string>;
    /** With the other valid signature; null unless the curve is P256. */
    other_fingerprint: Fixed<string | null>;
    organization_id: Fixed<string>;
    network_id: Fixed<string>;
    ca_id: Fixed<string>;
    /** Of the version 2 certificate that the host has beside this one, while its network is upgraded. */
    second_ca_id: Fixed<string | null>;
    second_fingerprint: Fixed<string | null>;
    other_second_fingerprint: Fixed<string | null>;
    host_id: Fixed<string>;
    public_key: Fixed<Buffer>;
    /** Hash of the name, addresses, groups and subnets in the certificate. */
    identity_hash: Fixed<string>;
    /** Null for the oldest certificates, for which they were not stored. */
    groups: Fixed<string[] | null>;
    unsafe_networks: Fixed<string[] | null>;
    not_before: Fixed<Date>;
    not_after: Fixed<Date>;
    /** When the host started to use a newer certificate. */
    superseded_at: Date | null;
    /** Set if the certificate allows more than its successor: it is revoked then, when the host has had time to replace it. */
    revoke_after: Date | null;
    /** When it was added to the blocklist. */
    revoked_at: Date | null;
  };
  /** The row with the host's lowest counter is in use; a higher one was sent and replaces it when it is first used. */
  host_credentials: {
    host_id: Fixed<string>;
    counter: Fixed<number>;
    organization_id: Fixed<string>;
    /** Ed25519, 32 bytes. */
    signing_key: Buffer;
    /** Fingerprint of the certificate that was sent with it. */
    certificate: string;
    /** The configuration without its certificate; null if it was too long to store. */
    config: string | null;
    /** Hash of the configuration without its certificate. */
    config_hash: string;
    /** The version that the configuration was rendered for; null if the client didn't report one. */
    nebula_version: string | null;
    /** Hash of the configuration as it was sent. */
    sent_hash: string;
    sent_kind: "config" | "certificate";
    sent_at: Date;
    /** The network's revision when the configuration was rendered. */
    revision: number;
  };
  host_reports: {
    host_id: Fixed<string>;
    organization_id: Fixed<string>;
    config_hash: string;
    nebula_version: string | null;
    applied_at: Date | null;
    error: string | null;
    tunnels: JSONColumnType<ReportedTunnel[]>;
    /** Null if the agent doesn't report it. */
    system: JSONColumnType<ReportedSystem | null>;
    reported_at: Date;
  };
  /** The bytes of the last 24 hours: a ring of buckets, indexed by time. */
  host_traffic: {
    host_id: Fixed<string>;
    organization_id: Fixed<string>;
    /** Null in a bucket: the host reported nothing. */
    received: (number | null)[];
    sent: (number | null)[];
    /** The number of buckets between 1970 and the newest one. */
    newest_bucket: number;
    /** The counters of the overlay interface in the last report. */
    received_counter: number;
    sent_counter: number;
    reported_at: Date;
  };
  /** The newest revision of the network that the host is known to run. */
  host_revisions: {
    host_id: Fixed<string>;
    organization_id: Fixed<string>;
    network_id: Fixed<string>;
    revision: number;
    reached_at: Date;
  };
  /** The block of a host, while it is blocked, which the other hosts of its network acknowledge. */
  host_blocks: {
    host_id: Fixed<string>;
    organization_id: Fixed<string>;
    network_id: Fixed<string>;
    /** The network's revision that contains the block. */
    revision: Fixed<number>;
    blocked_at: Fixed<Date>;
    /** The hosts that have to acknowledge the block. */
    host_count: Fixed<number>;
    /** The hosts with a tunnel to the blocked host when it was blocked. */
    peer_ids: Fixed<string[]>;
    half_acknowledged_at: Date | null;
    completed_at: Date | null;
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
    /** Hash of the enrollment code that the polling device will get; null if an enrolled host signs in again. */
    code_hash: Fixed<Buffer | null>;
    host_id: Fixed<string | null>;
    /** Shown by the device and by its sign-in page, for the person to compare. */
    verification_code: Fixed<string>;
    state: "WAITING" | "STARTED" | "PENDING_APPROVAL" | "REJECTED" | "COMPLETED";
    expires_at: Date;
  };
  /** One per network: the current upgrade to version 2 certificates, or the completed one. */
  network_upgrades: {
    network_id: Fixed<string>;
    organization_id: Fixed<string>;
    old_ca_id: Fixed<string>;
    new_ca_id: string | null;
    /** The range that the network gets. */
    ipv6_cidr: Fixed<string>;
    step: "NEBULA" | "TRUST" | "BOTH" | "INITIATE" | "ONLY" | "DONE";
    /** The network's revision that every host must have reached before the next step. */
    step_revision: number;
    /** The steps are taken back. */
    is_reverting: boolean;
    /** This step doesn't wait for hosts that are offline or don't report. */
    is_forced: boolean;
    started_at: Fixed<Date>;
    step_started_at: Date;
  };
  /** One per network: the current rotation, or the last one. */
  ca_rotations: {
    network_id: Fixed<string>;
    organization_id: Fixed<string>;
    old_ca_id: string;
    new_ca_id: string;
    step: "TRUST" | "REISSUE" | "DONE";
    /** The network's revision that every host must have reached before the next step. */
    step_revision: number;
    /** This step doesn't wait for hosts that are offline. */
    is_forced: boolean;
    started_at: Date;
    step_started_at: Date;
  };
}
