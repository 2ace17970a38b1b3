import { getGetStarted, listHostsV2 } from "@lightkeeper/contract";
import { read } from "../lib/query.ts";

/** Looked at again now and then: a tunnel is heard of when a host next reports. */
const POLL_MS = 15_000;

export const progressQuery = { ...read(getGetStarted), refetchInterval: POLL_MS };

/** Those that have been added and wait for their command to be run. */
export const waitingHostsQuery = read(listHostsV2, {
  query: { "filter.status": "neverEnrolled", "filter.isBlocked": false, sort: "createdAt", pageSize: 25 },
});

/** Among these are two that can be made to talk. */
export const onlineHostsQuery = read(listHostsV2, {
  query: {
    "filter.status": "online",
    "filter.isLighthouse": false,
    "filter.isRelay": false,
    sort: "createdAt",
    pageSize: 25,
  },
});
