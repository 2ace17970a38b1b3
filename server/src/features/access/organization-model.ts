/**
 * Who reaches whom in an organization, in memory. A model never changes: a change creates another one, which shares
 * everything that stayed the same.
 */
import {
  type AccessHost,
  type AccessNetwork,
  type AccessRoute,
  changeNetwork,
  indexNetwork,
} from "@lightkeeper/nebula/access";
import { addressesOf } from "../../nouns/hosts/host-addresses.ts";
import { cidrsOf } from "../../nouns/networks/network-cidrs.ts";
import {
  type AccessObjects,
  type ChangedKey,
  type GuaranteeState,
  type HostState,
  type NetworkState,
  type ObjectChanges,
  type ObjectKind,
  type RouteState,
  type StateWithoutHosts,
  noObjects,
} from "./access-state.queries.ts";

export interface ModelHost extends AccessHost {
  readonly networkID: string;
  /** The person who enrolled the device by signing in. */
  readonly ownerID: string | null;
}

export interface NetworkModel {
  readonly id: string;
  readonly name: string;
  /** Its time changes only when a certificate has expired, so that whatever was computed for it stays valid. */
  readonly network: AccessNetwork;
  /** When the next certificate expires, or earlier. */
  readonly validUntil: number;
}

export interface OrganizationModel {
  /** Transactions from this one on may have changed objects since. */
  readonly horizon: string;
  readonly networks: ReadonlyMap<string, NetworkModel>;
  /** Every network has them, also one that is created later. */
  readonly roles: AccessNetwork["roles"];
  readonly tags: AccessNetwork["tags"];
  readonly roleNames: ReadonlyMap<string, string>;
  readonly routeNames: ReadonlyMap<string, string>;
  readonly guarantees: ReadonlyMap<string, GuaranteeState>;
}

function toHost(state: HostState): ModelHost {
  const { ip_address, ipv6_address, nebulaVersion, caID, certificateExpiresAt, ...host } = state;
  return {
    ...host,
    addresses: addressesOf({ ip_address, ipv6_address }),
    nebulaVersion: nebulaVersion ?? undefined,
    certificate:
      caID !== null && certificateExpiresAt !== null
        ? { caID, expiresAt: new Date(certificateExpiresAt) }
        : undefined,
  };
}

const byID = <T extends { id: string }>(items: readonly T[]) => new Map(items.map((item) => [item.id, item]));

const emptyNetwork = (state: NetworkState): AccessNetwork => ({
  cidrs: cidrsOf(state),
  now: new Date(0),
  trustedCaIDs: new Set(state.trustedCaIDs),
  roles: new Map(),
  tags: new Map(),
  routes: [],
  hosts: [],
});

/** The objects of a kind that have changed, each with its new state; undefined if it was deleted. */
type Changes = { [Kind in ObjectKind]: Map<string, AccessObjects[Kind][number] | undefined> };

function collectChanges(objects: AccessObjects, keys: readonly ChangedKey[]): Changes {
  const changesOf = <Kind extends ObjectKind>(kind: Kind) => {
    const found = byID<AccessObjects[Kind][number]>(objects[kind]);
    const changed = keys.filter((each) => each.kind === kind);
    return new Map(changed.map(({ key }) => [key, found.get(key)])) as Changes[Kind];
  };
  return {
    network: changesOf("network"),
    role: changesOf("role"),
    tag: changesOf("tag"),
    route: changesOf("route"),
    guarantee: changesOf("guarantee"),
    host: changesOf("host"),
  };
}

/** Returns the same map if nothing in it changes. */
function changeMap<In, Out>(
  map: ReadonlyMap<string, Out>,
  changes: ReadonlyMap<string, In | undefined>,
  toValue: (state: In) => Out,
): ReadonlyMap<string, Out> {
  if (changes.size === 0) return map;
  const changed = new Map(map);
  for (const [key, state] of changes)
    if (state === undefined) changed.delete(key);
    else changed.set(key, toValue(state));
  return changed;
}

const mapChanges = <In, Out>(
  changes: ReadonlyMap<string, In | undefined>,
  toValue: (state: In) => Out | undefined,
) => new Map([...changes].map(([key, state]) => [key, state && toValue(state)]));

export function applyChanges(
  model: OrganizationModel,
  { keys, ...objects }: ObjectChanges,
): OrganizationModel {
  if (keys.length === 0) return model;
  const changes = collectChanges(objects, keys);
  const networks = changeMap(model.networks, changes.network, (state) => {
    const known = model.networks.get(state.id);
    const network = known
      ? changeNetwork(known.network, { trustedCaIDs: new Set(state.trustedCaIDs), cidrs: cidrsOf(state) })
      : changeNetwork(emptyNetwork(state), { roles: model.roles, tags: model.tags });
    return { id: state.id, name: state.name, network, validUntil: known?.validUntil ?? Infinity };
  });
  const changed = new Map([...networks].map(([id, each]) => [id, changeNetworkModel(each, changes)]));
  return {
    ...model,
    networks: changed,
    roles: changeMap(model.roles, changes.role, ({ firewallRules }) => firewallRules),
    tags: changeMap(model.tags, changes.tag, (tag) => tag),
    roleNames: changeMap(model.roleNames, changes.role, ({ name }) => name),
    routeNames: changeMap(model.routeNames, changes.route, ({ name }) => name),
    guarantees: changeMap(model.guarantees, changes.guarantee, (guarantee) => guarantee),
  };
}

function changeNetworkModel(model: NetworkModel, changes: Changes): NetworkModel {
  const hosts = [...changes.host].filter(([id, state]) =>
    state ? state.networkID === model.id : indexNetwork(model.network).byID.get(id) !== undefined,
  );
  let { network } = model;
  if (hosts.length > 0)
    network = changeNetwork(network, {
      hosts: new Map(hosts.map(([id, state]) => [id, state && toHost(state)])),
    });
  if (changes.role.size > 0)
    network = changeNetwork(network, {
      roles: mapChanges(changes.role, ({ firewallRules }) => firewallRules),
    });
  if (changes.tag.size > 0) network = changeNetwork(network, { tags: mapChanges(changes.tag, (tag) => tag) });
  const routes = mapChanges(changes.route, (route) => toRoute(network, route));
  const isKnown = (id: string) => network.routes.some((route) => route.id === id);
  const ofNetwork = [...routes].filter(([id, route]) => route !== undefined || isKnown(id));
  if (ofNetwork.length > 0) network = changeNetwork(network, { routes: new Map(ofNetwork) });
  if (network === model.network) return model;
  const validUntil = hosts.reduce(
    (earliest, [, state]) => Math.min(earliest, expiryOf(state)),
    model.validUntil,
  );
  return { ...model, network, validUntil };
}

/** Certificates that have expired before don't matter: then the time is only updated more often. */
const expiryOf = (state: HostState | undefined): number =>
  state?.certificateExpiresAt ? Date.parse(state.certificateExpiresAt) : Infinity;

/** Updates the time of the networks in which a certificate has expired. */
export function updateTime(model: OrganizationModel, now: Date): OrganizationModel {
  const isOutdated = ({ network, validUntil }: NetworkModel) =>
    network.now.getTime() === 0 || validUntil <= now.getTime();
  if (![...model.networks.values()].some(isOutdated)) return model;
  const networks = [...model.networks].map(([id, each]): [string, NetworkModel] => [
    id,
    isOutdated(each)
      ? {
          ...each,
          network: changeNetwork(each.network, { now }),
          validUntil: findNextExpiry(each.network.hosts, now),
        }
      : each,
  ]);
  return { ...model, networks: new Map(networks) };
}

function findNextExpiry(hosts: readonly AccessHost[], now: Date): number {
  let next = Infinity;
  for (const { certificate } of hosts)
    if (certificate && certificate.expiresAt > now) next = Math.min(next, certificate.expiresAt.getTime());
  return next;
}

/** Undefined unless the router is in the network. */
function toRoute(network: AccessNetwork, route: RouteState): AccessRoute | undefined {
  const { id, routerHostID, routableCIDRs, firewallRules, acceptWiderRules } = route;
  if (routerHostID === null || !indexNetwork(network).byID.get(routerHostID)) return undefined;
  return { id, routerHostID, routableCIDRs, firewallRules, acceptWiderRules };
}

/** The organization without its hosts and routes. Routes are added after their routers. */
export function createModel({
  horizon,
  network,
  role,
  tag,
  guarantee,
}: StateWithoutHosts): OrganizationModel {
  const empty: OrganizationModel = {
    horizon,
    networks: new Map(
      network.map((each) => [
        each.id,
        { id: each.id, name: each.name, network: emptyNetwork(each), validUntil: Infinity },
      ]),
    ),
    roles: new Map(),
    tags: new Map(),
    roleNames: new Map(),
    routeNames: new Map(),
    guarantees: new Map(),
  };
  return addObjects(addObjects(addObjects(empty, "role", role), "tag", tag), "guarantee", guarantee);
}

export const addObjects = <Kind extends ObjectKind>(
  model: OrganizationModel,
  kind: Kind,
  objects: AccessObjects[Kind],
): OrganizationModel =>
  applyChanges(model, {
    ...noObjects,
    [kind]: objects,
    keys: objects.map(({ id }) => ({ kind, key: id })),
  });

export const countHosts = ({ networks }: OrganizationModel): number =>
  [...networks.values()].reduce((count, { network }) => count + network.hosts.length, 0);
