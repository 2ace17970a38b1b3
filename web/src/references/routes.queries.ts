import { getRoute, listRoutes, type RouteListItem } from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { listAll } from "../lib/api.ts";
import type { ListQuery } from "../lib/list-state.ts";
import { keyOf, read } from "../lib/query.ts";

export const routeQuery = (routeID: string) => read(getRoute, { params: { routeID } });

export const routesPageQuery = (query: ListQuery) => read(listRoutes, { query });

/** Every route, for pickers. */
export const allRoutesQuery = queryOptions({
  queryKey: keyOf(listRoutes, { all: true }),
  queryFn: (): Promise<RouteListItem[]> => listAll(listRoutes, {}),
});
