import {
  getAccessDiff,
  listAuditLogs,
  listMembers,
  type AuditTimeFrame,
  type QueryOf,
} from "@lightkeeper/contract";
import { HOUR_MS } from "@lightkeeper/contract/durations";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, listAll } from "../lib/api.ts";
import { keyOf } from "../lib/query.ts";

type Query = QueryOf<typeof listAuditLogs>;

/** Selects the entries of a log. A time frame ends at the time of the request. */
export interface LogFilter {
  targetType?: Query["filter.targetType"];
  targetID?: Query["filter.targetID"];
  actor?: Query["filter.actor"];
  action?: Query["filter.action"];
  timeFrame?: AuditTimeFrame | undefined;
  from?: Query["filter.from"];
  to?: Query["filter.to"];
}

const PAGE_SIZE = 50;
const hours: Readonly<Record<AuditTimeFrame, number | undefined>> = {
  "24h": 24,
  "7d": 7 * 24,
  "30d": 30 * 24,
  "90d": 90 * 24,
  all: undefined,
};

function fetchPage(filter: LogFilter, cursor: string | undefined, signal: AbortSignal) {
  const { timeFrame = "all", from, ...rest } = filter;
  const ago = hours[timeFrame];
  const start = ago === undefined ? from : new Date(Date.now() - ago * HOUR_MS).toISOString();
  const parameters = Object.entries({ ...rest, from: start }).map(([name, value]) => [
    `filter.${name}`,
    value,
  ]);
  return api(listAuditLogs, {
    query: { ...Object.fromEntries(parameters), pageSize: PAGE_SIZE, cursor },
    signal,
  });
}

export type LogPage = Awaited<ReturnType<typeof fetchPage>>;

/** Has its own noun, so that a change event doesn't refetch the list while someone reads it. */
export const logQuery = (filter: LogFilter) =>
  infiniteQueryOptions({
    queryKey: keyOf(listAuditLogs, filter, "audit-log-as-read"),
    queryFn: ({ pageParam, signal }) => fetchPage(filter, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ metadata }) => (metadata.hasNextPage ? metadata.nextCursor : undefined),
  });

/** The newest page of the log, which change events refetch. */
export const newestQuery = (filter: LogFilter) =>
  queryOptions({
    queryKey: keyOf(listAuditLogs, filter),
    queryFn: ({ signal }) => fetchPage(filter, undefined, signal),
  });

/** The members, as choices of the actor filter. */
export const peopleQuery = queryOptions({
  queryKey: keyOf(listMembers, { first: 500 }),
  queryFn: () => listAll(listMembers, {}, { pages: 1 }),
});

/** What a change opened and closed never changes. */
export const accessDiffQuery = (diffID: string) =>
  queryOptions({
    queryKey: keyOf(getAccessDiff, { diffID }),
    queryFn: ({ signal }) => api(getAccessDiff, { params: { diffID }, signal }),
    staleTime: Infinity,
  });
