import type { Selectable } from "kysely";
import type { Tables } from "../../infrastructure/db/tables.ts";
import type { CompiledHost } from "./compile.ts";

type HostRow = Pick<
  Selectable<Tables["hosts"]>,
  | "id"
  | "name"
  | "ip_address"
  | "role_id"
  | "tags"
  | "static_addresses"
  | "listen_port"
  | "is_lighthouse"
  | "is_relay"
  | "config_overrides"
>;

export const toCompiled = (row: HostRow): CompiledHost => ({
  id: row.id,
  name: row.name,
  address: row.ip_address,
  roleID: row.role_id,
  tags: row.tags,
  staticAddresses: row.static_addresses,
  listenPort: row.listen_port,
  isLighthouse: row.is_lighthouse,
  isRelay: row.is_relay,
  configOverrides: row.config_overrides,
});
