import { getHostState, getNetworkMap, type NetworkMap } from "@lightkeeper/contract";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { api } from "../lib/api.ts";
import { keyOf } from "../lib/query.ts";
import { startTimer } from "../ui/base/timer.ts";

export interface LoadedMap {
  readonly map: NetworkMap;
  readonly requestedAt: number;
}

/** A large map is larger to load, and its hosts report all the time. */
const LARGE_HOSTS = 2000;
const REFRESH_MS = 5000;
const LARGE_REFRESH_MS = 30_000;

/** Not a noun of events: the map is refreshed by `useNetworkMap`, which waits between two requests. */
const mapQuery = (networkID: string) =>
  queryOptions({
    queryKey: keyOf(getNetworkMap, { networkID }, "map"),
    queryFn: async ({ signal }): Promise<LoadedMap> => {
      const requestedAt = Date.now();
      return { map: await api(getNetworkMap, { params: { networkID }, signal }), requestedAt };
    },
  });

/** When hosts or their reports last changed: events about them run this query again. */
const hostChangesQuery = queryOptions({
  queryKey: keyOf(getNetworkMap, { changes: true }, getHostState.noun),
  queryFn: () => Promise.resolve(Date.now()),
});

/** The map of a network, which follows changes, but not more often than every few seconds. */
export function useNetworkMap(networkID: string | undefined) {
  const query = useQuery({
    ...mapQuery(networkID ?? ""),
    enabled: networkID !== undefined,
    placeholderData: keepPreviousData,
  });
  const { data: changedAt = 0 } = useQuery(hostChangesQuery);
  const { data, refetch } = query;
  const requestedAt = data?.requestedAt;
  const intervalMs = (data?.map.hostCount ?? 0) > LARGE_HOSTS ? LARGE_REFRESH_MS : REFRESH_MS;
  useEffect(() => {
    if (requestedAt === undefined || changedAt <= requestedAt) return undefined;
    const waitMs = Math.max(0, requestedAt + intervalMs - Date.now());
    return startTimer(() => void refetch({ cancelRefetch: false }), waitMs).clear;
  }, [changedAt, requestedAt, intervalMs, refetch]);
  return query;
}
