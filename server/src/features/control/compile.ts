/** What a host should have, from what is true of its network. Pure. */
import { createHash } from "node:crypto";
import {
  certificateGroups,
  compileFirewall,
  type ConfigInput,
  renderConfig,
  type WiderRule,
} from "@lightkeeper/nebula";
import type { CallingHost } from "../agents/calling-hosts.service.ts";
import { hashIdentity, type Identity } from "../../nouns/certificates/certificates.service.ts";
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
  /** Rules that the host's Nebula takes for wider than they are: unless that is accepted, it serves no routes. */
  wider: readonly WiderRule[];
}

export const hashText = (text: string) => createHash("sha256").update(text).digest("hex");

const toPeer = ({ address, staticAddresses }: Peer) => ({ addresses: [address], staticAddresses });

const toServed = ({ id, routableCIDRs, firewallRules }: SnapshotRoute) => ({
  id,
  routableCIDRs,
  firewallRules,
});

function compile(
  snapshot: Snapshot,
  host: CompiledHost,
  nebulaVersion: string | undefined,
): Omit<ConfigInput, "routesServed"> {
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

/**
 * An old Nebula opens the networks behind a router by the router's own rules, and the router by those of its
 * routes. Where not every route accepts that, the host is no router: then its own rules open what they say.
 */
function serve(snapshot: Snapshot, host: CompiledHost, rules: Omit<ConfigInput, "routesServed">) {
  const routes = snapshot.routes.filter(({ routerHostID }) => routerHostID === host.id);
  if (routes.length === 0) return { served: routes, wider: [], acceptWider: false };
  const { wider } = compileFirewall({ ...rules, routesServed: routes.map(toServed) });
  const acceptWider = routes.every(
    ({ acceptWiderRules, routableCIDRs }) => acceptWiderRules || Object.keys(routableCIDRs).length === 0,
  );
  return { served: wider.length === 0 || acceptWider ? routes : [], wider, acceptWider };
}

function identify(snapshot: Snapshot, host: CompiledHost, served: readonly SnapshotRoute[]): Identity {
  const networks = served.flatMap(({ routableCIDRs }) => Object.keys(routableCIDRs));
  return {
    name: host.name,
    address: host.address,
    cidr: snapshot.cidr,
    groups: certificateGroups(host),
    unsafeNetworks: [...new Set(networks)].toSorted(),
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
  const compiled = compile(snapshot, host, nebulaVersion);
  const { served, wider, acceptWider } = serve(snapshot, host, compiled);
  const input = { ...compiled, routesServed: served.map(toServed), acceptWider };
  const identity = identify(snapshot, host, served);
  return { input, ...render(input), identity, identityHash: hashIdentity(identity), wider };
}
