import * as contract from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { countMapGroups, findMapNetwork, listMapHosts, listMapRoutes } from "./map.queries.ts";
import { presentMap, presentOverview } from "./present-map.ts";

export function serveMap(routes: Routes, { reader, clock }: Context): void {
  routes.read(contract.getNetworkMap, async ({ actor, params: { networkID } }) => {
    const organizationID = actor.organization.id;
    const network = await findMapNetwork(reader, organizationID, networkID);
    if (!network) throw new ApiError("ERR_NOT_FOUND");
    if (network.host_count > contract.MAP_HOSTS_MAX)
      return presentOverview(network, await countMapGroups(reader, organizationID, networkID));
    const [hosts, routeRows] = await Promise.all([
      listMapHosts(reader, organizationID, { networkID, now: clock() }),
      listMapRoutes(reader, organizationID, networkID),
    ]);
    return presentMap({ networkID, hosts, routes: routeRows });
  });
}
