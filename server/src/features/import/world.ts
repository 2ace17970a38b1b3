/** What is already there of all that a document names, found in a handful of queries however long it is. */
import { parseIpv4 } from "@lightkeeper/nebula";
import type { Reader } from "../../infrastructure/db/client.ts";
import { rolesNamedIn, tagsNamedIn, type Things } from "./things.ts";
import {
  type ExistingHost,
  type ExistingNetwork,
  type ExistingRole,
  type ExistingTag,
  findHosts,
  findKeys,
  findNetworks,
  findRoles,
  findRoom,
  findTags,
  findTakenAddresses,
  type HostPlace,
  type NamedRow,
} from "./world.queries.ts";

export interface World {
  /** Names of one key are one name to the database. */
  keyOf: (name: string) => string;
  findRole: (nameOrID: string) => ExistingRole | undefined;
  findRoleNamed: (name: string) => ExistingRole | undefined;
  findTag: (name: string) => ExistingTag | undefined;
  findNetwork: (nameOrID: string) => ExistingNetwork | undefined;
  findHost: (networkID: string, name: string) => ExistingHost | undefined;
  isTaken: (networkID: string, address: string) => boolean;
  /** How many hosts may still be made. */
  room: number;
  /** How many there may be on the free plan. */
  limit: number;
}

const byNameOrID = <Row extends NamedRow>(rows: readonly Row[], keyOf: World["keyOf"]) => {
  const byID = new Map(rows.map((row) => [row.id, row]));
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return (nameOrID: string) => byID.get(nameOrID) ?? byKey.get(keyOf(nameOrID));
};

const placeText = ({ networkID, value }: HostPlace) => `${networkID} ${value}`;

export async function lookAround(
  db: Reader,
  organizationID: string,
  { things, limit }: { things: Things; limit: number },
): Promise<World> {
  const networkNames = [...new Set(things.host.map(({ value }) => value.network))];
  const roleNames = [...new Set(rolesNamedIn(things))];
  const hostNames = things.host.map(({ value }) => value.name);
  const keys = await findKeys(db, [...new Set([...networkNames, ...roleNames, ...hostNames])]);
  const keyOf = (name: string) => keys.get(name) ?? name;

  const tags = await findTags(db, organizationID, tagsNamedIn({ ...things, role: [], host: [] }));
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
    findRoleNamed: (name) => rolesByKey.get(keyOf(name)),
    findTag: (name) => tagsByName.get(name),
    findNetwork,
    ...(await lookAtHosts(db, organizationID, { things, keyOf, findNetwork })),
    room: await findRoom(db, organizationID, limit),
    limit,
  };
}

interface Bearings extends Pick<World, "keyOf" | "findNetwork"> {
  things: Things;
}

async function lookAtHosts(
  db: Reader,
  organizationID: string,
  { things, keyOf, findNetwork }: Bearings,
): Promise<Pick<World, "findHost" | "isTaken">> {
  const placed = things.host.flatMap(({ value }) => {
    const network = findNetwork(value.network);
    return network ? [{ networkID: network.id, ...value }] : [];
  });
  const names = placed.map(({ networkID, name }) => ({ networkID, value: keyOf(name) }));
  const addresses = placed.flatMap(({ networkID, ipAddress }) =>
    ipAddress !== undefined && parseIpv4(ipAddress) !== undefined ? [{ networkID, value: ipAddress }] : [],
  );
  const hosts = await findHosts(db, organizationID, names);
  const taken = await findTakenAddresses(db, organizationID, addresses);
  const hostsByPlace = new Map(
    hosts.map((host) => [placeText({ networkID: host.network_id, value: host.name_key }), host]),
  );
  const takenPlaces = new Set(taken.map(placeText));
  return {
    findHost: (networkID, name) => hostsByPlace.get(placeText({ networkID, value: keyOf(name) })),
    isTaken: (networkID, address) => takenPlaces.has(placeText({ networkID, value: address })),
  };
}
