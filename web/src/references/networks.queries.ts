import { getNetwork, listNetworks, type Network } from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { listAll } from "../lib/api.ts";
import type { ListQuery } from "../lib/list-state.ts";
import { keyOf, read } from "../lib/query.ts";

export const networkQuery = (networkID: string) => read(getNetwork, { params: { networkID } });

/** Drops search and sort parameters: the API supports neither for networks. */
export const networksPageQuery = ({ includeCounts, pageSize, cursor }: ListQuery) =>
  read(listNetworks, { query: { includeCounts, pageSize, ...(cursor && { cursor }) } });

/** Every network, for pickers and for showing names. */
export const allNetworksQuery = queryOptions({
  queryKey: keyOf(listNetworks, { all: true }),
  queryFn: (): Promise<Network[]> => listAll(listNetworks, {}),
});

/** The total count comes with any page, so a page of one is enough. */
export const networkCountQuery = read(listNetworks, { query: { includeCounts: true, pageSize: 1 } });
