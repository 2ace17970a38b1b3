// The config of one host, whole and in one form: the same input gives the same bytes, in whatever order its
// lists came. Wrong facts about the network (an address that is none) throw. What this version of Nebula cannot
// take, and overrides that do not hold, are left out and reported: one bad setting must not keep a blocklist
// from a host.

import { leavesLighthouse } from "./allow-lists.ts";
import { FINGERPRINT, check } from "./certificate-parts.ts";
import { applyOverrides } from "./config-overrides.ts";
import type { OmittedOverride, OverridingTag } from "./config-overrides.ts";
import { findReach, renderPeers } from "./config-peers.ts";
import type { ConfigHost, PeersInput } from "./config-peers.ts";
import { renderRoutes } from "./config-routes.ts";
import type { OmittedRoute, SubscribedRoute } from "./config-routes.ts";
import { compileFirewall } from "./firewall.ts";
import type { FirewallRule, NebulaRule, ServedRoute, WiderRule } from "./firewall.ts";
import type { ConfigOverride } from "./overrides.ts";
import { decodePem } from "./pem.ts";
import { nebulaCapabilities } from "./versions.ts";
import type { NebulaCapabilities } from "./versions.ts";
import { writeYaml } from "./yaml-writer.ts";
import type { YamlMap, YamlValue } from "./yaml-writer.ts";

export interface ConfigInput extends PeersInput {
  /** As the host reports it; unknown counts as the newest. */
  readonly nebulaVersion: string | undefined;
  readonly host: ConfigHost & { readonly configOverrides: readonly ConfigOverride[] };
  readonly roleRules: readonly FirewallRule[];
  readonly tags: readonly (OverridingTag & { readonly firewallRules: readonly FirewallRule[] })[];
  /** PEM of every CA trusted, of either certificate version. */
  readonly trustedCas: readonly string[];
  /** PEM; left out when the host keeps the one it has. */
  readonly certificate?: string | undefined;
  /** Where the host keeps its private key; left out when the host puts it in itself. */
  readonly keyPath?: string | undefined;
  /** Fingerprints of certificates not to talk to. */
  readonly blocklist: readonly string[];
  readonly routesServed: readonly ServedRoute[];
  readonly routesSubscribed: readonly SubscribedRoute[];
  /** Writes rules that this version of Nebula takes for wider than they are, instead of leaving them out. */
  readonly acceptWider?: boolean | undefined;
}

export interface RenderedConfig {
  readonly config: YamlMap;
  readonly yaml: string;
  readonly wider: readonly WiderRule[];
  readonly omitted: readonly (OmittedOverride | OmittedRoute)[];
}

const MAX_PORT = 65_535;

export function renderConfig(input: ConfigInput): RenderedConfig {
  const can = nebulaCapabilities(input.nebulaVersion);
  const reach = findReach(input, can);
  const peers = renderPeers(input, reach);
  const routes = renderRoutes(input, reach, can);
  const firewall = compileFirewall(input);
  const defaults: YamlMap = {
    pki: renderPki(input, can),
    static_host_map: peers.staticHostMap,
    lighthouse: peers.lighthouse,
    listen: { host: "0.0.0.0", port: readListenPort(input.host) },
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
    firewall: renderFirewall(firewall.rules, can),
  };
  const { config, omitted } = applyOverrides(
    defaults,
    input.tags,
    input.host.configOverrides,
    (key, value) => (can.startsWithoutLighthouse ? undefined : refuseWithoutLighthouse(input, key, value)),
  );
  return {
    config,
    yaml: writeYaml(config),
    wider: firewall.wider,
    omitted: [...omitted, ...routes.omitted],
  };
}

function refuseWithoutLighthouse(input: ConfigInput, key: string, value: YamlValue): string | undefined {
  if (key !== "lighthouse.remote_allow_list" || input.host.isLighthouse) return undefined;
  const isLeft = input.lighthouses
    .filter(({ staticAddresses }) => staticAddresses.length > 0)
    .every(({ staticAddresses }) => leavesLighthouse(value, staticAddresses));
  return isLeft ? undefined : "This would shut out a lighthouse, and this Nebula would not start.";
}

function renderPki(input: ConfigInput, can: NebulaCapabilities): YamlMap {
  const cas = input.trustedCas.filter((pem) => readCertificateVersion(pem) === 1 || can.certificateV2);
  check(cas.length > 0, "a host must trust a CA that its Nebula can read");
  if (input.certificate !== undefined) {
    const isReadable = readCertificateVersion(input.certificate) === 1 || can.certificateV2;
    check(isReadable, "a host's certificate must be one that its Nebula can read");
  }
  check(
    input.blocklist.every((fingerprint) => FINGERPRINT.test(fingerprint)),
    "a blocklist must be of fingerprints in lower-case hex",
  );
  return {
    ca: distinct(cas).join(""),
    cert: input.certificate,
    key: input.keyPath,
    blocklist: distinct(input.blocklist),
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
    Number.isInteger(listenPort) && listenPort >= 0 && listenPort <= MAX_PORT,
    "a port must be a whole number between 0 and 65535",
  );
  check(listenPort > 0 || !isLighthouse, "a lighthouse must listen on a fixed port");
  return listenPort;
}

function renderFirewall(inbound: readonly NebulaRule[], can: NebulaCapabilities): YamlMap {
  return {
    default_local_cidr_any: can.localCidr && !can.rulesKeepToTheHost ? false : undefined,
    conntrack: { tcp_timeout: "12m", udp_timeout: "3m", default_timeout: "10m" },
    outbound: [{ port: "any", proto: "any", host: "any" }],
    inbound: inbound.map((rule) => ({ ...rule })),
  };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted();
}
