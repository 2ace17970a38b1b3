import type { Host, HostV2 } from "@lightkeeper/contract";
import { addressesOf } from "./host-addresses.ts";
import { AGENT_NAME, MOBILE_AGENT_NAME } from "./host-filters.ts";
import type { SeenHostRow } from "./hosts.queries.ts";

/** Null for a host that has never called. */
function agentMetadata(row: SeenHostRow, newestAgent: string) {
  const { agent_name, agent_version, shown_last_seen_at, nebula_version } = row;
  if (agent_name === null)
    return { lastSeenAt: null, platform: null, version: null, updateAvailable: null, agent: null };
  return {
    lastSeenAt: shown_last_seen_at instanceof Date ? shown_last_seen_at.toISOString() : null,
    platform: agent_name === MOBILE_AGENT_NAME ? ("mobile" as const) : ("dnclient" as const),
    version: agent_version,
    updateAvailable: agent_name === AGENT_NAME && agent_version !== newestAgent,
    agent: { name: agent_name, version: agent_version, nebulaVersion: nebula_version },
  };
}

// A spread before other properties would take longer than everything else here.
const metadataOf = (row: SeenHostRow, newestAgent: string): Host["metadata"] => ({
  statuses: row.statuses,
  enrolledAt: row.enrolled_at?.toISOString() ?? null,
  certificateExpiresAt: row.certificate_expires_at?.toISOString() ?? null,
  ...agentMetadata(row, newestAgent),
});

const commonFields = (row: SeenHostRow, newestAgent: string): Omit<Host, "ipAddress"> => ({
  id: row.id,
  organizationID: row.organization_id,
  networkID: row.network_id,
  roleID: row.role_id,
  endpointOIDCUserID: row.endpoint_oidc_user_id,
  name: row.name,
  staticAddresses: row.static_addresses,
  listenPort: row.listen_port,
  isLighthouse: row.is_lighthouse,
  isRelay: row.is_relay,
  isBlocked: row.is_blocked,
  createdAt: row.created_at.toISOString(),
  modifiedAt: row.modified_at.toISOString(),
  metadata: metadataOf(row, newestAgent),
  tags: row.tags,
  configOverrides: row.config_overrides,
  description: row.description,
  owner: row.owner,
});

export const createPresentation = (newestAgent: string) => ({
  toHost: (row: SeenHostRow): Host =>
    Object.assign(commonFields(row, newestAgent), { ipAddress: row.ip_address }),
  toHostV2: (row: SeenHostRow): HostV2 =>
    Object.assign(commonFields(row, newestAgent), { ipAddresses: addressesOf(row) }),
});
