// Known vulnerabilities of Nebula, and which hosts they affect.

import { compareNebulaVersions } from "./versions.ts";

export interface VulnerableHost {
  readonly nebulaVersion: string;
  readonly curve: "25519" | "P256";
  readonly servesRoutes: boolean;
  readonly hasIPv6Address: boolean;
}

export interface Vulnerability {
  readonly id: string;
  /** A sentence without the period. */
  readonly title: string;
  readonly fixedIn: string;
  /** Whether the host is set up in the way that the vulnerability needs. */
  readonly isAffected: boolean;
  /** Why it is, or isn't. */
  readonly reason: string;
}

interface KnownVulnerability {
  readonly id: string;
  readonly title: string;
  readonly since: string;
  readonly fixedIn: string;
  readonly check: (host: VulnerableHost) => Pick<Vulnerability, "isAffected" | "reason">;
}

/** IPv6 in the overlay came with version 2 certificates. */
const checkIPv6: KnownVulnerability["check"] = ({ hasIPv6Address }) => ({
  isAffected: hasIPv6Address,
  reason: hasIPv6Address ? "This host has an IPv6 address." : "This host has no IPv6 address.",
});

const KNOWN: readonly KnownVulnerability[] = [
  {
    id: "CVE-2025-62820",
    title: "Source addresses can be spoofed through routes",
    since: "1.9.4",
    fixedIn: "1.9.7",
    check: ({ servesRoutes }) => ({
      isAffected: servesRoutes,
      reason: servesRoutes ? "This host serves a route." : "This host serves no route.",
    }),
  },
  {
    id: "GHSA-69x3",
    title: "A blocked certificate with curve P256 can be changed so that the blocklist misses it",
    since: "1.7.0",
    fixedIn: "1.10.3",
    check: ({ curve }) => ({
      isAffected: curve === "P256",
      reason: curve === "P256" ? "This network uses P256." : "This network doesn’t use P256.",
    }),
  },
  {
    id: "slackhq/nebula#1789",
    title: "Long IPv6 extension headers can hide the protocol and the ports of a packet from the rules",
    since: "1.10.0",
    fixedIn: "1.11.0",
    check: checkIPv6,
  },
  {
    id: "slackhq/nebula#1840",
    title: "IPv6 packets of other protocols can match rules for TCP or UDP",
    since: "1.10.0",
    fixedIn: "1.11.1",
    check: checkIPv6,
  },
];

/** The vulnerabilities of the host's version; none for an unknown version. */
export function findVulnerabilities(host: VulnerableHost): Vulnerability[] {
  const { nebulaVersion } = host;
  const isOlder = (version: string) => (compareNebulaVersions(nebulaVersion, version) ?? 0) < 0;
  const isAtLeast = (version: string) => (compareNebulaVersions(nebulaVersion, version) ?? -1) >= 0;
  return KNOWN.filter(({ since, fixedIn }) => isAtLeast(since) && isOlder(fixedIn)).map(
    ({ id, title, fixedIn, check }) => ({ id, title, fixedIn, ...check(host) }),
  );
}
