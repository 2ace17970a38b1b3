import { getBlockProgress, getHostState, getHostTraffic, type BlockProgress } from "@lightkeeper/contract";
import { read } from "../lib/query.ts";

export const hostStateQuery = (hostID: string) => read(getHostState, { params: { hostID } });

/** Hosts report their traffic at least every five minutes. */
const TRAFFIC_MS = 60_000;
export const hostTrafficQuery = (hostID: string) => ({
  ...read(getHostTraffic, { params: { hostID } }),
  refetchInterval: TRAFFIC_MS,
});

/** Agents that don't report are not announced. */
const PROGRESS_MS = 2000;
export const blockProgressQuery = (hostID: string) => ({
  ...read(getBlockProgress, { params: { hostID } }),
  refetchInterval: ({ state }: { state: { data?: BlockProgress | null | undefined } }) =>
    state.data && state.data.completedAt === null ? PROGRESS_MS : false,
});
