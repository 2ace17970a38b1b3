/** The networks of an organization, from the models in memory. */
import { indexNetwork } from "@lightkeeper/nebula/access";
import type { AccessModels } from "./access-models.ts";
import type { LoadedNetwork, LoadNetworks } from "./answers/loaded-network.ts";
import type { NetworkModel, OrganizationModel } from "./organization-model.ts";

export const toLoadedNetwork = (
  { roleNames, routeNames }: OrganizationModel,
  { id, name, network }: NetworkModel,
  revision = 0,
): LoadedNetwork => ({ id, name, network, roleNames, routeNames, revision });

export function createNetworkLoader(models: AccessModels): LoadNetworks {
  async function all(organizationID: string): Promise<LoadedNetwork[]> {
    const model = await models.read(organizationID);
    return [...model.networks.values()].map((each) => toLoadedNetwork(model, each, model.revisions[each.id]));
  }

  return {
    all,
    one: async (organizationID, networkID) => (await all(organizationID)).find(({ id }) => id === networkID),
    ofHost: async (organizationID, hostID) =>
      (await all(organizationID)).find(({ network }) => indexNetwork(network).byID.get(hostID) !== undefined),
    async rules(organizationID) {
      const { networks, roles, tags, roleNames, routeNames } = await models.read(organizationID);
      return {
        networks: [...networks.values()].map(({ network }) => network),
        roles,
        tags,
        roleNames,
        routeNames,
      };
    },
  };
}
