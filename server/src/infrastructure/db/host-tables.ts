/** Hosts and what triggers derive from them. */
import type { ConfigOverrides } from "@lightkeeper/contract";
import type { ColumnType, GeneratedAlways, JSONColumnType } from "kysely";
import type { Fixed } from "./column-types.ts";

/** The number of hosts with each combination of values. */
interface HostCounts {
  organization_id: ColumnType<string, never, never>;
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
}

export interface HostTables {
  hosts: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    network_id: Fixed<string>;
    role_id: string | null;
    endpoint_oidc_user_id: string | null;
    has_endpoint_user: GeneratedAlways<boolean>;
    /** The person has to sign in again before this time. */
    endpoint_expires_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
    name: string;
    name_key: GeneratedAlways<string>;
    /** IPv4 if the host has such an address, otherwise IPv6. */
    ip_address: Fixed<string>;
    ipv6_address: string | null;
    static_addresses: string[];
    listen_port: number;
    is_lighthouse: Fixed<boolean>;
    is_relay: Fixed<boolean>;
    is_blocked: ColumnType<boolean, boolean | undefined, boolean>;
    tags: string[];
    config_overrides: JSONColumnType<ConfigOverrides>;
    description: ColumnType<string, string | undefined, string>;
    owner: ColumnType<string, string | undefined, string>;
    /** The text that a search looks through. */
    search_text: string;
    enrolled_at: Date | null;
    is_enrolled: GeneratedAlways<boolean>;
    is_online: ColumnType<boolean, boolean | undefined, boolean>;
    /** The host runs another configuration than the desired one. */
    is_drifted: ColumnType<boolean, boolean | undefined, boolean>;
    agent_name: string | null;
    agent_version: string | null;
    /** The CA of the certificate in use. */
    ca_id: string | null;
    certificate_expires_at: Date | null;
    created_at: Fixed<Date>;
    modified_at: Date;
  };
  /** One row per host, inserted with it. `-infinity` means never seen. */
  host_presence: {
    host_id: Fixed<string>;
    organization_id: Fixed<string>;
    network_id: Fixed<string>;
    last_seen_at: ColumnType<Date | number, never, Date>;
  };
  /** Triggers derive it from `hosts.tags`. */
  host_tags: {
    organization_id: ColumnType<string, never, never>;
    host_id: ColumnType<string, never, never>;
    tag: ColumnType<string, never, never>;
    created_at: ColumnType<Date, never, never>;
    name_key: ColumnType<string, never, never>;
  };
  /** Triggers derive it from `hosts`: counts for each tag. The tag '' counts every host. */
  host_counts: HostCounts & { tag: ColumnType<string, never, never> };
  /** Triggers derive it from `hosts`: counts for each combination of two or more tags. */
  host_tag_set_counts: HostCounts & {
    tags: ColumnType<string[], never, never>;
    tags_hash: ColumnType<Buffer, never, never>;
  };
  /** Triggers derive it from `hosts`: released addresses below the network's next address of their family. */
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
}
