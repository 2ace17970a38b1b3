import { getNetworkV2, listNetworksV2, type NetworkV2 } from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { listAll } from "../lib/api.ts";
import type { ListQuery } from "../lib/list-state.ts";
import { keyOf, read } from "../lib/query.ts";

export const networkQuery = (networkID: string) => read(getNetworkV2, { params: { networkID } });

/** Drops search and sort parameters: the API supports neither for networks. */
export const networksPageQuery = ({ includeCounts, pageSize, cursor }: ListQuery) =>
  read(listNetworksV2, { query: { includeCounts, pageSize, ...(cursor && { cursor }) } });

/** Every network, for pickers and for showing names. */
export const allNetworksQuery = queryOptions({
  queryKey: keyOf(listNetworksV2, { all: true }),
  queryFn: (): Promise<NetworkV2[]> => listAll(listNetworksV2, {}),
});

/** The total count comes with any page, so a page of one is enough. */
export const networkCountQuery = read(listNetworksV2, { query: { includeCounts: true, pageSize: 1 } });
