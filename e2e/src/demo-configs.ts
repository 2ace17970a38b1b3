/** Compares the configuration of a host with the lists and pages that describe the same. */
import type { HostState, HostV2, NetworkV2 } from "@lightkeeper/contract";
import { expect } from "vitest";
import { parse } from "yaml";

interface Config {
  lighthouse: { am_lighthouse: boolean; hosts: string[] };
  relay: { am_relay: boolean; relays: string[] };
  static_host_map: Record<string, string[]>;
  tun: { unsafe_routes: { route: string; via: string }[] };
  firewall: { inbound: { proto: string; port: string | number }[] };
}

const addressesOf = (hosts: readonly HostV2[]) => hosts.flatMap(({ ipAddresses }) => ipAddresses).sort();

function expectPeers(config: Config, host: HostV2, others: readonly HostV2[], network: NetworkV2): void {
  const lighthouses = others.filter(({ isLighthouse }) => isLighthouse);
  const isRelay = (each: HostV2) => each.isRelay || (each.isLighthouse && network.lighthousesAsRelays);
  expect(config.lighthouse).toMatchObject({ am_lighthouse: host.isLighthouse });
  expect(config.lighthouse.hosts.toSorted()).toEqual(host.isLighthouse ? [] : addressesOf(lighthouses));
  expect(config.relay.am_relay).toBe(isRelay(host));
  expect(config.relay.relays.toSorted()).toEqual(isRelay(host) ? [] : addressesOf(others.filter(isRelay)));
  for (const { ipAddresses, staticAddresses } of lighthouses)
    expect(config.static_host_map[ipAddresses[0]!]).toEqual(staticAddresses.toSorted());
}

function expectRoutes(config: Config, { routesUsed, omitted }: HostState): void {
  const omittedCIDRs = new Set(omitted.flatMap((each) => (each.kind === "route" ? [each.cidr] : [])));
  const used = routesUsed
    .flatMap(({ cidrs, router }) => cidrs.map((route) => ({ route, via: router.vpnIp })))
    .filter(({ route }) => !omittedCIDRs.has(route));
  const routes = config.tun.unsafe_routes.map(({ route, via }) => ({ route, via }));
  expect(routes).toEqual(expect.arrayContaining(used));
  expect(routes).toHaveLength(used.length);
}

type Ports = { from: number; to: number } | null | undefined;

const formatPorts = (range: Ports) => {
  if (!range) return "any";
  return range.from === range.to ? `${range.from}` : `${range.from}-${range.to}`;
};

function expectRules(config: Config, { rules }: HostState): void {
  const rendered = config.firewall.inbound.map(({ proto, port }) => `${proto} ${port}`);
  const listed = rules.map(
    ({ rule: { protocol = "ANY", portRange } }) => `${protocol.toLowerCase()} ${formatPorts(portRange)}`,
  );
  expect(new Set(rendered)).toEqual(new Set(listed));
}

/** `hosts` are all hosts of the organization. */
export function expectConfigToAgree(
  host: HostV2,
  state: HostState,
  { hosts, network }: { hosts: readonly HostV2[]; network: NetworkV2 },
): void {
  const config = parse(state.config) as Config;
  const others = hosts.filter(({ id, networkID }) => networkID === network.id && id !== host.id);
  expectPeers(config, host, others, network);
  expectRoutes(config, state);
  expectRules(config, state);
}
