import { getNetwork, listNetworks, type Network } from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { listAll } from "../lib/api.ts";
import type { ListQuery } from "../lib/list-state.ts";
import { keyOf, read } from "../lib/query.ts";

export const networkQuery = (networkID: string) => read(getNetwork, { params: { networkID } });

/** Whatever else an address says, the API neither searches nor sorts networks. */
export const networksPageQuery = ({ includeCounts, pageSize, cursor }: ListQuery) =>
  read(listNetworks, { query: { includeCounts, pageSize, ...(cursor && { cursor }) } });

/** For names and for choosing. */
export const allNetworksQuery = queryOptions({
  queryKey: keyOf(listNetworks, { all: true }),
  queryFn: (): Promise<Network[]> => listAll(listNetworks, {}),
});

/** The number of networks is that of all, on a page of one. */
export const networkCountQuery = read(listNetworks, { query: { includeCounts: true, pageSize: 1 } });
