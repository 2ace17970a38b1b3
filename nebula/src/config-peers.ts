// Whom a host finds without asking, whom it asks, and who carries its packets when there is no direct way.

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
  /** Where it is found outside the overlay, as host:port. */
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
  /** Every lighthouse and relay of the network; the host itself may be among them. */
  readonly lighthouses: readonly ConfigPeer[];
  readonly relays: readonly ConfigPeer[];
}

/** An IP address or a host name, and a port. */
export function isStaticAddress(text: string): boolean {
  return TEXT_FORMATS.hostAndPort.accepts(text);
}

/** What a host can speak to: networks of the families it has an address in and its Nebula knows. */
export type Reach = readonly IpPrefix[];

const LIGHTHOUSE_INTERVAL = 60;

export function findReach({ network, host }: PeersInput, can: NebulaCapabilities): Reach {
  const networks = network.cidrs.map((cidr) => {
    const prefix = parseIpPrefix(cidr);
    if (prefix === undefined) throw new FormatError("a network's CIDR must be a network");
    return prefix;
  });
  const spoken = networks.filter(({ address }) => can.certificateV2 || isIpv4(address));
  const reach = spoken.filter((prefix) => reachableAddresses(host, [prefix]).length > 0);
  check(reach.length > 0, "a host must have an address in its network that its Nebula can speak");
  return reach;
}

/** A peer's addresses within reach, IPv4 first. */
export function reachableAddresses(peer: Pick<ConfigPeer, "addresses">, reach: Reach): string[] {
  const addresses = peer.addresses.map((text) => {
    const address = parseIp(text);
    if (address === undefined) throw new FormatError("an overlay address must be an IP address");
    return address;
  });
  return addresses
    .filter((address) =>
      reach.some((network) => ipPrefixContains(network, { address, prefixLength: address.length * 8 })),
    )
    .toSorted(compareIps)
    .map(formatIp);
}

export function renderPeers(
  input: PeersInput,
  reach: Reach,
): { staticHostMap: YamlMap; lighthouse: YamlMap; relay: YamlMap } {
  const { host, network } = input;
  const own = new Set(reachableAddresses(host, reach));
  const others = (peers: readonly ConfigPeer[]) =>
    peers
      .map((peer) => ({
        addresses: reachableAddresses(peer, reach),
        staticAddresses: sortedStaticAddresses(peer),
      }))
      .filter(({ addresses }) => addresses.length > 0 && !addresses.some((address) => own.has(address)));
  const lighthouses = others(input.lighthouses).filter(({ staticAddresses }) => staticAddresses.length > 0);
  const relays = others([...input.relays, ...(network.lighthousesAsRelays ? input.lighthouses : [])]);
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
    .flatMap(({ addresses, staticAddresses }) =>
      addresses.map((address) => [address, staticAddresses] as const),
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

/** Nebula advertises addresses only, no names. */
function startsWithIp(staticAddress: string): boolean {
  return parseIp(splitHostAndPort(staticAddress)?.host ?? "") !== undefined;
}
