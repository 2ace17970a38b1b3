import type { AccessNetwork } from "@lightkeeper/nebula/access";

export interface LoadedNetwork {
  readonly id: string;
  readonly name: string;
  readonly network: AccessNetwork;
  readonly roleNames: ReadonlyMap<string, string>;
  readonly routeNames: ReadonlyMap<string, string>;
  readonly revision: number;
}

/** The rules of an organization, which may have no network. */
export interface LoadedRules extends Pick<AccessNetwork, "roles" | "tags"> {
  readonly networks: readonly AccessNetwork[];
  readonly roleNames: ReadonlyMap<string, string>;
  readonly routeNames: ReadonlyMap<string, string>;
}

/** The current state of a network, or undefined if the organization has no such network. */
export interface LoadNetworks {
  one(organizationID: string, networkID: string): Promise<LoadedNetwork | undefined>;
  /** The network of a host. */
  ofHost(organizationID: string, hostID: string): Promise<LoadedNetwork | undefined>;
  all(organizationID: string): Promise<LoadedNetwork[]>;
  rules(organizationID: string): Promise<LoadedRules>;
}
