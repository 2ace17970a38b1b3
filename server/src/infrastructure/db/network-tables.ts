/** Networks and what applies to their hosts. */
import type { ConfigOverrides, FirewallRule, RouteFirewallRule } from "@lightkeeper/contract";
import type { ColumnType, JSONColumnType } from "kysely";
import type { Fixed } from "./column-types.ts";

export interface NetworkTables {
  networks: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    name: string;
    description: string;
    /** The IPv4 range; only a network with version 2 certificates may have none. */
    cidr: string | null;
    /** Only a network with version 2 certificates has one. */
    ipv6_cidr: string | null;
    curve: Fixed<"25519" | "P256">;
    cert_version: 1 | 2;
    signing_ca_id: string;
    lighthouses_as_relays: boolean;
    disable_managed_lighthouses: boolean;
    /** Maintained by triggers. */
    host_count: ColumnType<number, never, never>;
    /** Every lower address is assigned or in `free_addresses`. */
    next_address: string | null;
    next_ipv6_address: string | null;
    revision: ColumnType<number, never, number>;
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
  roles: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    name: string;
    description: string;
    firewall_rules: JSONColumnType<FirewallRule[]>;
    created_at: Fixed<Date>;
    modified_at: Date;
  };
  tags: {
    organization_id: Fixed<string>;
    name: Fixed<string>;
    description: string;
    /** If tags contradict each other, the higher priority applies. */
    priority: number;
    config_overrides: JSONColumnType<ConfigOverrides>;
    firewall_rules: JSONColumnType<FirewallRule[]>;
    created_at: Fixed<Date>;
    modified_at: Date;
  };
  routes: {
    id: Fixed<string>;
    organization_id: Fixed<string>;
    name: string;
    description: string;
    router_host_id: string | null;
    routable_cidrs: JSONColumnType<Record<string, { install: boolean }>>;
    firewall_rules: JSONColumnType<RouteFirewallRule[]>;
    /** The user accepts that a router with an old Nebula allows more than the rules. */
    accept_wider_rules: ColumnType<boolean, boolean | undefined, boolean>;
    created_at: Fixed<Date>;
    modified_at: Date;
  };
  /** Hosts with the tag install the route. */
  route_subscriptions: {
    organization_id: Fixed<string>;
    tag: Fixed<string>;
    route_id: Fixed<string>;
  };
}

const ALL_NETWORK_COLUMNS: Record<keyof NetworkTables["networks"], true> = {
  id: true,
  organization_id: true,
  name: true,
  description: true,
  cidr: true,
  ipv6_cidr: true,
  curve: true,
  cert_version: true,
  signing_ca_id: true,
  lighthouses_as_relays: true,
  disable_managed_lighthouses: true,
  host_count: true,
  next_address: true,
  next_ipv6_address: true,
  revision: true,
  created_at: true,
};
/** For a statement that runs often: one with `*` is parsed and planned on every run. */
export const NETWORK_COLUMNS = Object.keys(ALL_NETWORK_COLUMNS);
