/** Finds the hosts that a check is about. */
import type { BodyOf, checkAccess } from "@lightkeeper/contract";
import { formatIp, parseIp } from "@lightkeeper/nebula";
import { type AccessHost, indexNetwork } from "@lightkeeper/nebula/access";
import { ApiError } from "../../../infrastructure/errors/api-error.ts";
import type { LoadedNetwork, LoadNetworks } from "./loaded-network.ts";

export type CheckBody = BodyOf<typeof checkAccess>;

export type CheckDestination =
  | { readonly kind: "hosts"; readonly hosts: readonly AccessHost[] }
  /** In its canonical form, with the host of the network that has it. */
  | { readonly kind: "address"; readonly address: string; readonly host: AccessHost | undefined }
  | { readonly kind: "otherNetwork"; readonly host: AccessHost };

export interface CheckEndpoints {
  readonly loaded: LoadedNetwork;
  readonly sources: readonly AccessHost[];
  readonly destination: CheckDestination;
}

export async function findCheckEndpoints(
  networks: LoadNetworks,
  organizationID: string,
  { source, destination }: CheckBody,
): Promise<CheckEndpoints> {
  const loaded = await loadSourceNetwork(networks, organizationID, source);
  const sources =
    "hostID" in source ? findHosts(loaded, source.hostID) : selectHosts(loaded, source, "source");
  return {
    loaded,
    sources,
    destination: await findDestination(networks, organizationID, loaded, destination),
  };
}

/** One host, or none if it isn't in the network. */
function findHosts({ network }: LoadedNetwork, id: string): AccessHost[] {
  const host = indexNetwork(network).byID.get(id);
  return host ? [host] : [];
}

const invalidReference = (path: string) => new ApiError("ERR_INVALID_REFERENCE", { path });

async function loadSourceNetwork(
  networks: LoadNetworks,
  organizationID: string,
  source: CheckBody["source"],
): Promise<LoadedNetwork> {
  const isHost = "hostID" in source;
  const loaded = isHost
    ? await networks.ofHost(organizationID, source.hostID)
    : await networks.one(organizationID, source.networkID);
  if (!loaded) throw invalidReference(isHost ? "source.hostID" : "source.networkID");
  return loaded;
}

interface RoleAndTags {
  roleID: string | null;
  tags: string[];
}

function selectHosts(loaded: LoadedNetwork, { roleID, tags }: RoleAndTags, path: string): AccessHost[] {
  const { network, roleNames } = loaded;
  if (roleID !== null && !roleNames.has(roleID)) throw invalidReference(`${path}.roleID`);
  const unknownIndex = tags.findIndex((tag) => !network.tags.has(tag));
  if (unknownIndex !== -1) throw invalidReference(`${path}.tags[${unknownIndex}]`);
  const candidates = roleID === null ? network.hosts : indexNetwork(network).hostsWithRole(roleID);
  return candidates
    .filter((host) => tags.every((tag) => host.tags.includes(tag)))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function findDestination(
  networks: LoadNetworks,
  organizationID: string,
  loaded: LoadedNetwork,
  destination: CheckBody["destination"],
): Promise<CheckDestination> {
  if ("address" in destination) return findAddress(loaded, destination.address);
  if (!("hostID" in destination))
    return { kind: "hosts", hosts: selectHosts(loaded, destination, "destination") };
  const hosts = findHosts(loaded, destination.hostID);
  if (hosts.length > 0) return { kind: "hosts", hosts };
  const other = await networks.ofHost(organizationID, destination.hostID);
  const [foreign] = other ? findHosts(other, destination.hostID) : [];
  if (!foreign) throw invalidReference("destination.hostID");
  return { kind: "otherNetwork", host: foreign };
}

function findAddress({ network }: LoadedNetwork, text: string): CheckDestination {
  const parsed = parseIp(text.trim());
  if (!parsed)
    throw new ApiError("ERR_INVALID_VALUE", {
      path: "destination.address",
      message: "must be an IPv4 or IPv6 address, such as 192.168.1.10 or fd12:3456:789a::10",
    });
  const address = formatIp(parsed);
  return { kind: "address", address, host: indexNetwork(network).byAddress.get(address) };
}
