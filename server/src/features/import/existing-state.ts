/** Finds everything that a document refers to, in a fixed number of queries. */
import type { Reader } from "../../infrastructure/db/client.ts";
import { canonicalAddress, requestedAddresses } from "./requested-addresses.ts";
import { type ParsedItems, referencedRoles, referencedTags } from "./items.ts";
import {
  type ExistingHost,
  type ExistingNetwork,
  type ExistingRole,
  type ExistingTag,
  findHosts,
  findKeys,
  findNetworks,
  findRoles,
  findHostQuota,
  findTags,
  findTakenAddresses,
  type HostPlace,
  type NamedRow,
} from "./existing-state.queries.ts";

export interface ExistingState {
  /** The database treats names with the same key as equal. */
  keyOf: (name: string) => string;
  findRole: (nameOrID: string) => ExistingRole | undefined;
  findRoleByName: (name: string) => ExistingRole | undefined;
  findTag: (name: string) => ExistingTag | undefined;
  findNetwork: (nameOrID: string) => ExistingNetwork | undefined;
  findHost: (networkID: string, name: string) => ExistingHost | undefined;
  isAddressTaken: (networkID: string, address: string) => boolean;
  /** How many more hosts can be created. */
  hostQuota: number;
  /** Host limit of the Free plan. */
  limit: number;
}

const byNameOrID = <Row extends NamedRow>(rows: readonly Row[], keyOf: ExistingState["keyOf"]) => {
  const byID = new Map(rows.map((row) => [row.id, row]));
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return (nameOrID: string) => byID.get(nameOrID) ?? byKey.get(keyOf(nameOrID));
};

const placeKey = ({ networkID, value }: HostPlace) => `${networkID} ${value}`;

/** Queries in lock order. */
export async function findExistingState(
  db: Reader,
  organizationID: string,
  { items, limit }: { items: ParsedItems; limit: number },
): Promise<ExistingState> {
  const networkNames = [...new Set(items.host.map(({ value }) => value.network))];
  const roleNames = [...new Set(referencedRoles(items))];
  const hostNames = items.host.map(({ value }) => value.name);
  const keys = await findKeys(db, [...new Set([...networkNames, ...roleNames, ...hostNames])]);
  const keyOf = (name: string) => keys.get(name) ?? name;

  const tags = await findTags(db, organizationID, referencedTags({ ...items, role: [], host: [] }));
  const roles = await findRoles(db, organizationID, { ids: roleNames, keys: roleNames.map(keyOf) });
  const networks = await findNetworks(db, organizationID, {
    ids: networkNames,
    keys: networkNames.map(keyOf),
  });
  const rolesByKey = new Map(roles.map((role) => [role.key, role]));
  const tagsByName = new Map(tags.map((tag) => [tag.name, tag]));
  const findNetwork = byNameOrID(networks, keyOf);
  return {
    keyOf,
    findRole: byNameOrID(roles, keyOf),
    findRoleByName: (name) => rolesByKey.get(keyOf(name)),
    findTag: (name) => tagsByName.get(name),
    findNetwork,
    ...(await findExistingHosts(db, organizationID, { items, keyOf, findNetwork })),
    hostQuota: await findHostQuota(db, organizationID, limit),
    limit,
  };
}

interface HostLookup extends Pick<ExistingState, "keyOf" | "findNetwork"> {
  items: ParsedItems;
}

async function findExistingHosts(
  db: Reader,
  organizationID: string,
  { items, keyOf, findNetwork }: HostLookup,
): Promise<Pick<ExistingState, "findHost" | "isAddressTaken">> {
  const hostsInNetworks = items.host.flatMap(({ value }) => {
    const network = findNetwork(value.network);
    return network ? [{ networkID: network.id, ...value }] : [];
  });
  const names = hostsInNetworks.map(({ networkID, name }) => ({ networkID, value: keyOf(name) }));
  const addresses = hostsInNetworks.flatMap((host) =>
    requestedAddresses(host).flatMap(({ address = "" }) => {
      const value = canonicalAddress(address);
      return value === undefined ? [] : [{ networkID: host.networkID, value }];
    }),
  );
  const hosts = await findHosts(db, organizationID, names);
  const taken = await findTakenAddresses(db, organizationID, addresses);
  const hostsByPlace = new Map(
    hosts.map((host) => [placeKey({ networkID: host.network_id, value: host.name_key }), host]),
  );
  const takenPlaces = new Set(taken.map(placeKey));
  return {
    findHost: (networkID, name) => hostsByPlace.get(placeKey({ networkID, value: keyOf(name) })),
    isAddressTaken: (networkID, address) => takenPlaces.has(placeKey({ networkID, value: address })),
  };
}
