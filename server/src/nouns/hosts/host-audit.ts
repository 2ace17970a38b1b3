import type { AuditEventType } from "@lightkeeper/contract";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import { addressesOf } from "./host-addresses.ts";
import type { HostRow } from "./hosts.queries.ts";

export const auditHost = (row: HostRow) => ({
  name: row.name,
  networkID: row.network_id,
  roleID: row.role_id,
  ipAddresses: addressesOf(row),
  staticAddresses: row.static_addresses,
  listenPort: row.listen_port,
  isLighthouse: row.is_lighthouse,
  isRelay: row.is_relay,
  isBlocked: row.is_blocked,
  tags: row.tags,
  configOverrides: row.config_overrides,
  description: row.description,
  owner: row.owner,
});

export const entryOf = (
  author: Author,
  { id, network_id }: Pick<HostRow, "id" | "network_id">,
  event: AuditEventType,
  before: object | null,
  after: object | null,
): AuditEntry => ({
  ...author,
  target: { type: "host", id },
  event,
  before,
  after,
  networkID: network_id,
});
