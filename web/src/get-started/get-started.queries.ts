import { type GetStarted, getGetStarted, listHostsV2, PAGE_SIZE } from "@lightkeeper/contract";
import { read } from "../lib/query.ts";

/** Hosts report their tunnels now and then, without an event. */
const POLL_MS = 15_000;

export const progressQuery = { ...read(getGetStarted), refetchInterval: POLL_MS };

export const isComplete = ({ hasEnrolledLighthouse, enrolledHostCount, hasTunnel }: GetStarted): boolean =>
  hasEnrolledLighthouse && enrolledHostCount >= 2 && hasTunnel;

/** Hosts that were added but haven't enrolled yet. */
export const waitingHostsQuery = read(listHostsV2, {
  query: {
    "filter.status": "neverEnrolled",
    "filter.isBlocked": false,
    sort: "createdAt",
    pageSize: PAGE_SIZE,
  },
});

/** The candidates for the ping. */
export const onlineHostsQuery = read(listHostsV2, {
  query: {
    "filter.status": "online",
    "filter.isLighthouse": false,
    "filter.isRelay": false,
    sort: "createdAt",
    pageSize: PAGE_SIZE,
  },
});
