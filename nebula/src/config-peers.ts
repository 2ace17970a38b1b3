// Renders the sections static_host_map, lighthouse and relay.

import { check } from "./certificate-parts.ts";
import { FormatError } from "./format-error.ts";
import { compareIps, formatIp, ipPrefixContains, isIpv4, parseIp, parseIpPrefix } from "./ip-prefixes.ts";
import type { IpPrefix } from "./ip-prefixes.ts";
import { TEXT_FORMATS, splitHostAndPort } from "./override-formats.ts";
import type { NebulaCapabilities } from "./versions.ts";
import type { YamlMap } from "./yaml-writer.ts";

export interface ConfigPeer {
  /** Overlay addresses, at most one of each family. */
  readonly addresses: readonly string[];
  /** Underlay addresses, as host:port. */
  readonly staticAddresses: readonly string[];
}

export interface ConfigHost extends ConfigPeer {
  readonly listenPort: number;
  readonly isLighthouse: boolean;
  readonly isRelay: boolean;
}

export interface PeersInput {
  readonly network: { readonly cidrs: readonly string[]; readonly lighthousesAsRelays: boolean };
  readonly host: ConfigHost;
  /** All lighthouses and relays of the network, possibly including the host itself. */
  readonly lighthouses: readonly ConfigPeer[];
  readonly relays: readonly ConfigPeer[];
}

/** An IP address or a host name, and a port. */
export function isStaticAddress(text: string): boolean {
  return TEXT_FORMATS.hostAndPort.accepts(text);
}

/** The network's CIDRs in which the host has an address and that its Nebula supports. */
export type ReachableNetworks = readonly IpPrefix[];

const LIGHTHOUSE_INTERVAL = 60;

export function findReachableNetworks(
  { network, host }: PeersInput,
  capabilities: NebulaCapabilities,
): ReachableNetworks {
  const networks = network.cidrs.map((cidr) => {
    const prefix = parseIpPrefix(cidr);
    if (prefix === undefined) throw new FormatError("a network's CIDR must be valid");
    return prefix;
  });
  const supported = networks.filter(({ address }) => capabilities.certificateV2 || isIpv4(address));
  const reachable = supported.filter((prefix) => reachableAddresses(host, [prefix]).length > 0);
  check(reachable.length > 0, "a host must have an address in its network that its Nebula supports");
  return reachable;
}

/** A peer's addresses in the reachable networks, IPv4 first. */
export function reachableAddresses(
  peer: Pick<ConfigPeer, "addresses">,
  reachable: ReachableNetworks,
): string[] {
  const addresses = peer.addresses.map((text) => {
    const address = parseIp(text);
    if (address === undefined) throw new FormatError("an overlay address must be an IP address");
    return address;
  });
  return addresses
    .filter((address) =>
      reachable.some((network) => ipPrefixContains(network, { address, prefixLength: address.length * 8 })),
    )
    .toSorted(compareIps)
    .map(formatIp);
}

export function renderPeers(
  input: PeersInput,
  reachable: ReachableNetworks,
): { staticHostMap: YamlMap; lighthouse: YamlMap; relay: YamlMap } {
  const { host, network } = input;
  const hostAddresses = new Set(reachableAddresses(host, reachable));
  const otherPeers = (peers: readonly ConfigPeer[]) =>
    peers
      .map((peer) => ({
        addresses: reachableAddresses(peer, reachable),
        staticAddresses: sortedStaticAddresses(peer),
      }))
      .filter(
        ({ addresses }) => addresses.length > 0 && !addresses.some((address) => hostAddresses.has(address)),
      );
  const lighthouses = otherPeers(input.lighthouses).filter(
    ({ staticAddresses }) => staticAddresses.length > 0,
  );
  const relays = otherPeers([...input.relays, ...(network.lighthousesAsRelays ? input.lighthouses : [])]);
  const isRelay = host.isRelay || (host.isLighthouse && network.lighthousesAsRelays);
  const advertised = host.isLighthouse ? [] : sortedStaticAddresses(host).filter(startsWithIp);

  return {
    staticHostMap: renderStaticHostMap([...lighthouses, ...relays]),
    lighthouse: {
      am_lighthouse: host.isLighthouse,
      interval: LIGHTHOUSE_INTERVAL,
      hosts: host.isLighthouse ? [] : firstAddresses(lighthouses),
      advertise_addrs: advertised.length > 0 ? advertised : undefined,
    },
    relay: { am_relay: isRelay, use_relays: true, relays: isRelay ? [] : firstAddresses(relays) },
  };
}

function renderStaticHostMap(peers: readonly ConfigPeer[]): YamlMap {
  const entries = peers
    .filter(({ staticAddresses }) => staticAddresses.length > 0)
    // One address is enough to find the peer, and a running Nebula rejects those of a range that it got by a reload.
    .flatMap(({ addresses, staticAddresses }) =>
      addresses.slice(0, 1).map((address) => [address, staticAddresses] as const),
    );
  return Object.fromEntries(entries.toSorted(([a], [b]) => compareAddressTexts(a, b)));
}

function firstAddresses(peers: readonly ConfigPeer[]): string[] {
  const addresses = peers.flatMap((peer) => peer.addresses.slice(0, 1));
  return [...new Set(addresses)].toSorted(compareAddressTexts);
}

function compareAddressTexts(a: string, b: string): number {
  return compareIps(parseIp(a) ?? new Uint8Array(), parseIp(b) ?? new Uint8Array());
}

function sortedStaticAddresses({ staticAddresses }: ConfigPeer): string[] {
  check(staticAddresses.every(isStaticAddress), "a static address must be a host and a port");
  return [...new Set(staticAddresses)].toSorted();
}

/** Whether the host, a lighthouse or a relay has an IPv6 address in the underlay; `::` listens on IPv4 too. */
export function usesIpv6Underlay({ host, lighthouses, relays }: PeersInput): boolean {
  return [host, ...lighthouses, ...relays].some(({ staticAddresses }) =>
    staticAddresses.some((address) => address.startsWith("[")),
  );
}

/** Nebula can't advertise DNS names. */
function startsWithIp(staticAddress: string): boolean {
  return parseIp(splitHostAndPort(staticAddress)?.host ?? "") !== undefined;
}
