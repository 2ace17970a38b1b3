// What the access engine knows about a network. Everything is as it should be according to the console: whether a host
// already runs its newest configuration isn't a question of access.

import type { FirewallRule, RouteFirewallRule, RoutableCIDRs } from "../firewall.ts";

export interface AccessHost {
  readonly id: string;
  readonly name: string;
  /** The overlay addresses in their canonical form, at most one of each family, IPv4 first. */
  readonly addresses: readonly string[];
  readonly roleID: string | null;
  readonly tags: readonly string[];
  /** As reported by the host; an unknown version counts as the newest. */
  readonly nebulaVersion?: string | undefined;
  readonly isBlocked: boolean;
  /** Missing until the host has enrolled. */
  readonly certificate?: { readonly caID: string; readonly expiresAt: Date } | undefined;
}

export interface AccessTag {
  readonly firewallRules: readonly FirewallRule[];
  /** The routes that hosts with the tag use. */
  readonly routeIDs: readonly string[];
}

export interface AccessRoute {
  readonly id: string;
  readonly routerHostID: string;
  readonly routableCIDRs: RoutableCIDRs;
  readonly firewallRules: readonly RouteFirewallRule[];
  readonly acceptWiderRules: boolean;
}

export interface AccessNetwork {
  /** At most one of each family. */
  readonly cidrs: readonly string[];
  readonly now: Date;
  readonly trustedCaIDs: ReadonlySet<string>;
  readonly roles: ReadonlyMap<string, readonly FirewallRule[]>;
  readonly tags: ReadonlyMap<string, AccessTag>;
  readonly routes: readonly AccessRoute[];
  readonly hosts: readonly AccessHost[];
}

/** The first packet of a connection. Replies are always allowed. */
export interface Traffic {
  /** OTHER stands for every protocol that only rules for any protocol allow, such as GRE. */
  readonly protocol: "TCP" | "UDP" | "ICMP" | "OTHER";
  /** The destination port of TCP and UDP. */
  readonly port?: number | undefined;
  /** A later fragment of a large packet has no port, so only rules for all ports match it. */
  readonly isFragment?: boolean | undefined;
}

export interface Flow {
  readonly source: AccessHost;
  /** An overlay address, or an address behind a router. */
  readonly destination: string;
  readonly traffic: Traffic;
}
