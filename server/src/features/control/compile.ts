/** Computes the desired state of a host from a snapshot of its network, without I/O. */
import { createHash } from "node:crypto";
import {
  certificateGroups,
  type ConfigInput,
  isNebulaTooOld,
  renderConfig,
  selectServedRoutes,
  type WiderRule,
} from "@lightkeeper/nebula";
import type { CompiledHost } from "../agents/compiled-host.ts";
import { hashIdentity, type Identity } from "../../nouns/certificates/certificates.service.ts";
import type { Peer, Snapshot, SnapshotRoute, SnapshotTag } from "./snapshot.ts";

export interface DesiredState {
  input: ConfigInput;
  /** The hash of the configuration without the certificate. */
  configHash: string;
  /** The configuration without the certificate. */
  yaml: string;
  identity: Identity;
  identityHash: string;
  /** Rules that the host's Nebula would apply too widely: unless the routes accept that, the host is no router. */
  wider: readonly WiderRule[];
}

export const hashText = (text: string) => createHash("sha256").update(text).digest("hex");

const toConfigPeer = ({ addresses, staticAddresses }: Peer) => ({ addresses, staticAddresses });

const toServedRoute = ({ id, routableCIDRs, firewallRules }: SnapshotRoute) => ({
  id,
  routableCIDRs,
  firewallRules,
});

function compileInput(
  snapshot: Snapshot,
  host: CompiledHost,
  nebulaVersion: string | undefined,
): Omit<ConfigInput, "routesServed"> {
  const tags = host.tags.flatMap((name): (SnapshotTag & { name: string })[] => {
    const tag = snapshot.tags.get(name);
    return tag ? [{ name, ...tag }] : [];
  });
  const subscribedIDs = new Set(tags.flatMap(({ routeIDs }) => routeIDs));
  return {
    nebulaVersion,
    network: { cidrs: snapshot.cidrs, lighthousesAsRelays: snapshot.lighthousesAsRelays },
    host: {
      addresses: host.addresses,
      staticAddresses: host.staticAddresses,
      listenPort: host.listenPort,
      isLighthouse: host.isLighthouse,
      isRelay: host.isRelay,
      configOverrides: host.configOverrides,
    },
    lighthouses: snapshot.lighthouses.map(toConfigPeer),
    relays: snapshot.relays.map(toConfigPeer),
    roleRules: (host.roleID !== null && snapshot.roles.get(host.roleID)) || [],
    tags,
    trustedCas: snapshot.trustedCas,
    blocklist: snapshot.blocklist,
    otherBlocklist: snapshot.otherBlocklist,
    // The routes of a blocked router stay: without them, their traffic would leave the host unencrypted.
    routesSubscribed: snapshot.routes
      .filter(({ id }) => subscribedIDs.has(id))
      .map(({ id, routerAddresses, routableCIDRs }) => ({ id, routerAddresses, routableCIDRs })),
  };
}

const isIpv6 = (text: string) => text.includes(":");

function identityOf(snapshot: Snapshot, host: CompiledHost, served: readonly SnapshotRoute[]): Identity {
  const hasFamilyOf = (subnet: string) =>
    host.addresses.some((address) => isIpv6(address) === isIpv6(subnet));
  const subnets = served.flatMap(({ routableCIDRs }) => Object.keys(routableCIDRs)).filter(hasFamilyOf);
  const cidrOf = (address: string) => snapshot.cidrs.find((cidr) => isIpv6(cidr) === isIpv6(address)) ?? "";
  return {
    name: host.name,
    addresses: host.addresses,
    cidrs: host.addresses.map(cidrOf),
    groups: certificateGroups(host),
    unsafeNetworks: [...new Set(subnets)].toSorted(),
  };
}

export type RenderedText = Pick<DesiredState, "yaml" | "configHash">;

export function renderText(input: ConfigInput): RenderedText {
  const { yaml } = renderConfig(input);
  return { yaml, configHash: hashText(yaml) };
}

export function desiredState(
  snapshot: Snapshot,
  host: CompiledHost,
  nebulaVersion: string | undefined,
  render: (input: ConfigInput) => RenderedText = renderText,
): DesiredState {
  // A Nebula that is too old for its network can't run any configuration of it: the agent reports why.
  const version = isNebulaTooOld(snapshot, nebulaVersion) ? undefined : nebulaVersion;
  const compiled = compileInput(snapshot, host, version);
  const routes = snapshot.routes.filter(({ routerHostID }) => routerHostID === host.id);
  const { served, wider, acceptWider } = selectServedRoutes(compiled, routes);
  const subnetsNotServed = routes
    .filter((route) => !served.includes(route))
    .flatMap(({ routableCIDRs }) => Object.keys(routableCIDRs));
  const input = { ...compiled, routesServed: served.map(toServedRoute), subnetsNotServed, acceptWider };
  const identity = identityOf(snapshot, host, served);
  return { input, ...render(input), identity, identityHash: hashIdentity(identity), wider };
}
