/** Computes the desired state of a host from a snapshot of its network, without I/O. */
import { createHash } from "node:crypto";
import {
  certificateGroups,
  type ConfigInput,
  isNebulaTooOld,
  nebulaCapabilities,
  renderConfig,
  selectServedRoutes,
  type WiderRule,
  isIpv6Text,
} from "@lightkeeper/nebula";
import type { CompiledHost } from "../agents/compiled-host.ts";
import { hashIdentity, type Identity, type Issuer } from "../../nouns/certificates/certificates.service.ts";
import type { Peer, Snapshot, SnapshotRoute, SnapshotTag } from "./snapshot.ts";

export interface DesiredState {
  input: ConfigInput;
  /** The hash of the configuration without the certificate. */
  configHash: string;
  /** The configuration without the certificate. */
  yaml: string;
  identity: Identity;
  identityHash: string;
  /** Signs a version 2 certificate beside the version 1 certificate, while the network is upgraded. */
  secondIssuer: Issuer | undefined;
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

/** The upgrade of a network skips hosts whose Nebula is too old. */
const secondIssuerOf = ({ upgrade }: Snapshot, nebulaVersion: string | undefined): Issuer | undefined =>
  nebulaCapabilities(nebulaVersion).certificateV2 ? upgrade?.secondIssuer : undefined;

/** Without the IPv6 range while no certificate contains addresses in it. */
const certifiedCidrs = ({ issuer, cidrs }: Snapshot, secondIssuer: Issuer | undefined): string[] =>
  issuer.certVersion === 2 || secondIssuer ? cidrs : cidrs.filter((cidr) => !isIpv6Text(cidr));

function compileInput(
  snapshot: Snapshot,
  host: CompiledHost,
  nebulaVersion: string | undefined,
): Omit<ConfigInput, "routesServed"> {
  const secondIssuer = secondIssuerOf(snapshot, nebulaVersion);
  const tags = host.tags.flatMap((name): (SnapshotTag & { name: string })[] => {
    const tag = snapshot.tags.get(name);
    return tag ? [{ name, ...tag }] : [];
  });
  const subscribedIDs = new Set(tags.flatMap(({ routeIDs }) => routeIDs));
  return {
    nebulaVersion,
    network: {
      cidrs: certifiedCidrs(snapshot, secondIssuer),
      lighthousesAsRelays: snapshot.lighthousesAsRelays,
    },
    initiatingVersion: secondIssuer && snapshot.upgrade?.initiatingVersion,
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

function identityOf(
  cidrs: readonly string[],
  host: CompiledHost,
  served: readonly SnapshotRoute[],
): Identity {
  const findCidr = (address: string) => cidrs.find((cidr) => isIpv6Text(cidr) === isIpv6Text(address));
  const addresses = host.addresses.filter((address) => findCidr(address) !== undefined);
  const hasFamilyOf = (subnet: string) =>
    addresses.some((address) => isIpv6Text(address) === isIpv6Text(subnet));
  const subnets = served.flatMap(({ routableCIDRs }) => Object.keys(routableCIDRs)).filter(hasFamilyOf);
  return {
    name: host.name,
    addresses,
    cidrs: addresses.map((address) => findCidr(address) ?? ""),
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
  const identity = identityOf(compiled.network.cidrs, host, served);
  const secondIssuer = secondIssuerOf(snapshot, version);
  return { input, ...render(input), identity, identityHash: hashIdentity(identity), secondIssuer, wider };
}
