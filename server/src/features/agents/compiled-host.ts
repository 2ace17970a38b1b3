/** The part of a host that its configuration is compiled from. */
import type { ConfigOverrides } from "@lightkeeper/contract";
import type { Selectable } from "kysely";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { addressesOf } from "../../nouns/hosts/host-addresses.ts";

export interface CompiledHost {
  id: string;
  name: string;
  /** IPv4 first. */
  addresses: string[];
  roleID: string | null;
  tags: string[];
  staticAddresses: string[];
  listenPort: number;
  isLighthouse: boolean;
  isRelay: boolean;
  configOverrides: ConfigOverrides;
}

export const COMPILED_HOST_COLUMNS = [
  "hosts.id",
  "hosts.name",
  "hosts.ip_address",
  "hosts.ipv6_address",
  "hosts.role_id",
  "hosts.tags",
  "hosts.static_addresses",
  "hosts.listen_port",
  "hosts.is_lighthouse",
  "hosts.is_relay",
  "hosts.config_overrides",
] as const;

type Column = (typeof COMPILED_HOST_COLUMNS)[number] extends `hosts.${infer Name}` ? Name : never;

export const toCompiledHost = (row: Pick<Selectable<Tables["hosts"]>, Column>): CompiledHost => ({
  id: row.id,
  name: row.name,
  addresses: addressesOf(row),
  roleID: row.role_id,
  tags: row.tags,
  staticAddresses: row.static_addresses,
  listenPort: row.listen_port,
  isLighthouse: row.is_lighthouse,
  isRelay: row.is_relay,
  configOverrides: row.config_overrides,
});
