import type { Host, HostV2 } from "@lightkeeper/contract";
import { AGENT_NAME, MOBILE_AGENT_NAME } from "./host-filters.ts";
import type { SeenHostRow } from "./hosts.queries.ts";

/** All null until the host has been heard of. */
function metadataOf(row: SeenHostRow, newestAgent: string): Host["metadata"] {
  const { agent_name, agent_version, last_seen_at } = row;
  if (agent_name === null) return { lastSeenAt: null, platform: null, version: null, updateAvailable: null };
  return {
    lastSeenAt: last_seen_at instanceof Date ? last_seen_at.toISOString() : null,
    platform: agent_name === MOBILE_AGENT_NAME ? "mobile" : "dnclient",
    version: agent_version,
    updateAvailable: agent_name === AGENT_NAME && agent_version !== newestAgent,
  };
}

const common = (row: SeenHostRow, newestAgent: string): Omit<Host, "ipAddress"> => ({
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
});

export const createPresentation = (newestAgent: string) => ({
  toHost: (row: SeenHostRow): Host => ({ ...common(row, newestAgent), ipAddress: row.ip_address }),
  toHostV2: (row: SeenHostRow): HostV2 => ({ ...common(row, newestAgent), ipAddresses: [row.ip_address] }),
});
