// Renders the configuration of one host. The same input gives the same bytes, whatever the order of its lists. Invalid
// data of the network, such as a malformed address, throws. Settings that this version of Nebula doesn't support and
// invalid overrides are omitted and reported: one bad setting must not keep the blocklist from a host.

import { allowsLighthouse } from "./allow-lists.ts";
import { FINGERPRINT, check } from "./certificate-parts.ts";
import { applyOverrides } from "./config-overrides.ts";
import type { OmittedOverride, OverridingTag } from "./config-overrides.ts";
import { findReachableNetworks, renderPeers, usesIpv6Underlay } from "./config-peers.ts";
import type { ConfigHost, PeersInput } from "./config-peers.ts";
import { renderRoutes } from "./config-routes.ts";
import type { OmittedRoute, RoutesInput } from "./config-routes.ts";
import { compileFirewall } from "./firewall.ts";
import type { FirewallRule, NebulaRule, WiderRule } from "./firewall.ts";
import type { ConfigOverride } from "./overrides.ts";
import { decodePem, splitPemBlocks } from "./pem.ts";
import { PORT_MAX } from "./ports.ts";
import { nebulaCapabilities } from "./versions.ts";
import type { NebulaCapabilities } from "./versions.ts";
import { writeYaml } from "./yaml-writer.ts";
import type { YamlMap, YamlValue } from "./yaml-writer.ts";

export interface ConfigInput extends PeersInput, RoutesInput {
  /** As reported by the host; an unknown version counts as the newest. */
  readonly nebulaVersion: string | undefined;
  readonly host: ConfigHost & { readonly configOverrides: readonly ConfigOverride[] };
  readonly roleRules: readonly FirewallRule[];
  readonly tags: readonly (OverridingTag & { readonly firewallRules: readonly FirewallRule[] })[];
  /** PEM of all trusted CAs, of either certificate version. */
  readonly trustedCas: readonly string[];
  /** PEM, with a block for each version; missing if the host keeps its certificates. */
  readonly certificate?: string | undefined;
  /** The version with which the host starts tunnels, if it has certificates of both versions. */
  readonly initiatingVersion?: 1 | 2 | undefined;
  /** Path of the host's private key; missing if the host adds it. */
  readonly keyPath?: string | undefined;
  /** Fingerprints of blocked certificates. */
  readonly blocklist: readonly string[];
  /** Fingerprints of blocked P256 certificates with their other valid signature. */
  readonly otherBlocklist?: readonly string[] | undefined;
  /** Includes rules that this version of Nebula would widen, instead of omitting them. */
  readonly acceptWider?: boolean | undefined;
}

export interface RenderedConfig {
  readonly config: YamlMap;
  readonly yaml: string;
  readonly wider: readonly WiderRule[];
  readonly omitted: readonly (OmittedOverride | OmittedRoute)[];
}

export function renderConfig(input: ConfigInput): RenderedConfig {
  const capabilities = nebulaCapabilities(input.nebulaVersion);
  const reachable = findReachableNetworks(input, capabilities);
  const peers = renderPeers(input, reachable);
  const routes = renderRoutes(input, reachable, capabilities);
  const firewall = compileFirewall(input);
  const defaults: YamlMap = {
    pki: renderPki(input, capabilities),
    static_host_map: peers.staticHostMap,
    lighthouse: peers.lighthouse,
    listen: { host: usesIpv6Underlay(input) ? "::" : "0.0.0.0", port: readListenPort(input.host) },
    punchy: { punch: true, respond: true },
    relay: peers.relay,
    tun: {
      dev: "nebula1",
      mtu: 1300,
      drop_local_broadcast: true,
      drop_multicast: true,
      unsafe_routes: routes.unsafeRoutes,
    },
    logging: { level: "info", format: "text" },
    firewall: renderFirewall(firewall.rules, capabilities),
  };
  const { config, omitted } = applyOverrides(defaults, input.tags, input.host.configOverrides, (key, value) =>
    capabilities.startsWithoutLighthouse ? undefined : validateLighthousesAllowed(input, key, value),
  );
  return {
    config,
    yaml: writeYaml(config),
    wider: firewall.wider,
    omitted: [...omitted, ...routes.omitted],
  };
}

/** Returns the problem if the allow list excludes a lighthouse. */
function validateLighthousesAllowed(input: ConfigInput, key: string, value: YamlValue): string | undefined {
  if (key !== "lighthouse.remote_allow_list" || input.host.isLighthouse) return undefined;
  const allowsAll = input.lighthouses
    .filter(({ staticAddresses }) => staticAddresses.length > 0)
    .every(({ staticAddresses }) => allowsLighthouse(value, staticAddresses));
  return allowsAll ? undefined : "This list excludes a lighthouse, so this version of Nebula wouldn't start.";
}

function renderPki(input: ConfigInput, capabilities: NebulaCapabilities): YamlMap {
  const cas = input.trustedCas.filter(
    (pem) => readCertificateVersion(pem) === 1 || capabilities.certificateV2,
  );
  check(cas.length > 0, "a host must trust a CA that its Nebula can read");
  if (input.certificate !== undefined) {
    const versions = (splitPemBlocks(input.certificate) ?? [""]).map(readCertificateVersion);
    const isReadable = capabilities.certificateV2 || !versions.includes(2);
    check(isReadable, "a host's certificate must be one that its Nebula can read");
  }
  const blocklist = [
    ...input.blocklist,
    ...(capabilities.blocksBothSignatures ? [] : (input.otherBlocklist ?? [])),
  ];
  check(
    blocklist.every((fingerprint) => FINGERPRINT.test(fingerprint)),
    "a blocklist must contain fingerprints in lower-case hex",
  );
  return {
    ca: distinct(cas).join(""),
    cert: input.certificate,
    key: input.keyPath,
    initiating_version: input.initiatingVersion,
    blocklist: distinct(blocklist),
    disconnect_invalid: true,
  };
}

function readCertificateVersion(pem: string): 1 | 2 {
  const version = pem.startsWith("-----BEGIN NEBULA CERTIFICATE V2-----") ? 2 : 1;
  decodePem(version === 1 ? "NEBULA CERTIFICATE" : "NEBULA CERTIFICATE V2", pem);
  return version;
}

function readListenPort({ listenPort, isLighthouse }: ConfigHost): number {
  check(
    Number.isInteger(listenPort) && listenPort >= 0 && listenPort <= PORT_MAX,
    `a port must be a whole number between 0 and ${PORT_MAX}`,
  );
  check(listenPort > 0 || !isLighthouse, "a lighthouse must listen on a fixed port");
  return listenPort;
}

function renderFirewall(inbound: readonly NebulaRule[], capabilities: NebulaCapabilities): YamlMap {
  return {
    default_local_cidr_any: capabilities.localCidr && !capabilities.rulesKeepToTheHost ? false : undefined,
    conntrack: { tcp_timeout: "12m", udp_timeout: "3m", default_timeout: "10m" },
    outbound: [{ port: "any", proto: "any", host: "any" }],
    inbound: inbound.map((rule) => ({ ...rule })),
  };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted();
}
