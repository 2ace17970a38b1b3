/** What a host should have, from what is true of its network. Pure. */
import { createHash } from "node:crypto";
import { certificateGroups, type ConfigInput, renderConfig } from "@lightkeeper/nebula";
import type { CallingHost } from "../agents/calling-hosts.service.ts";
import { hashIdentity, type Identity } from "../enrollment/certificates.service.ts";
import type { Peer, Snapshot, SnapshotRoute, SnapshotTag } from "./snapshot.ts";

export type CompiledHost = Pick<
  CallingHost,
  | "id"
  | "name"
  | "address"
  | "roleID"
  | "tags"
  | "staticAddresses"
  | "listenPort"
  | "isLighthouse"
  | "isRelay"
  | "configOverrides"
>;

export interface DesiredState {
  input: ConfigInput;
  /** Of the configuration without a certificate. */
  configHash: string;
  /** The same as text. */
  yaml: string;
  identity: Identity;
  identityHash: string;
}

export const hashText = (text: string) => createHash("sha256").update(text).digest("hex");

const toPeer = ({ address, staticAddresses }: Peer) => ({ addresses: [address], staticAddresses });

const toServed = ({ id, routableCIDRs, firewallRules }: SnapshotRoute) => ({
  id,
  routableCIDRs,
  firewallRules,
});

export function compile(
  snapshot: Snapshot,
  host: CompiledHost,
  nebulaVersion: string | undefined,
): ConfigInput {
  const tags = host.tags.flatMap((name): (SnapshotTag & { name: string })[] => {
    const tag = snapshot.tags.get(name);
    return tag ? [{ name, ...tag }] : [];
  });
  const subscribed = new Set(tags.flatMap(({ routeIDs }) => routeIDs));
  return {
    nebulaVersion,
    network: { cidrs: [snapshot.cidr], lighthousesAsRelays: snapshot.lighthousesAsRelays },
    host: {
      addresses: [host.address],
      staticAddresses: host.staticAddresses,
      listenPort: host.listenPort,
      isLighthouse: host.isLighthouse,
      isRelay: host.isRelay,
      configOverrides: host.configOverrides,
    },
    lighthouses: snapshot.lighthouses.map(toPeer),
    relays: snapshot.relays.map(toPeer),
    roleRules: (host.roleID !== null && snapshot.roles.get(host.roleID)) || [],
    tags,
    trustedCas: snapshot.trustedCas,
    blocklist: snapshot.blocklist,
    routesServed: servedBy(snapshot, host).map(toServed),
    // A blocked router's routes stay: without them, traffic meant for the overlay would leave in the open.
    routesSubscribed: snapshot.routes
      .filter(({ id }) => subscribed.has(id))
      .map(({ id, routerAddress, routableCIDRs }) => ({
        id,
        routerAddresses: [routerAddress],
        routableCIDRs,
      })),
  };
}

const servedBy = ({ routes }: Snapshot, { id }: CompiledHost) =>
  routes.filter(({ routerHostID }) => routerHostID === id);

function identify(snapshot: Snapshot, host: CompiledHost): Identity {
  const networks = servedBy(snapshot, host).flatMap(({ routableCIDRs }) => Object.keys(routableCIDRs));
  return {
    name: host.name,
    address: host.address,
    cidr: snapshot.cidr,
    groups: certificateGroups(host),
    unsafeNetworks: [...new Set(networks)].toSorted(),
  };
}

export function desiredState(
  snapshot: Snapshot,
  host: CompiledHost,
  nebulaVersion: string | undefined,
): DesiredState {
  const input = compile(snapshot, host, nebulaVersion);
  const { yaml } = renderConfig(input);
  const identity = identify(snapshot, host);
  return { input, yaml, configHash: hashText(yaml), identity, identityHash: hashIdentity(identity) };
}
