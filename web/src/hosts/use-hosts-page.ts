import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { totalOf } from "../lib/list-page.ts";
import { queryClient } from "../lib/query.ts";
import { startTimer } from "../ui/base/timer.ts";
import { hostsPageQuery, type HostsQuery } from "../references/hosts.queries.ts";

/** As long as somebody takes from one key to the next. */
const PAUSE_MS = 250;

function usePaused(typed: string | undefined): boolean {
  const [paused, setPaused] = useState(typed);
  useEffect(() => startTimer(() => setPaused(typed), PAUSE_MS).clear, [typed]);
  return paused === typed;
}

const isSearch = (query: HostsQuery) => query["filter.search"] !== undefined && query.cursor === undefined;

const rowsQuery = (query: HostsQuery) =>
  hostsPageQuery(isSearch(query) ? { ...query, includeCounts: false } : query);

/** Asks before the page has drawn that it asks. */
export const askAhead = (query: HostsQuery): void => void queryClient.prefetchQuery(rowsQuery(query));

/**
 * A page of hosts, and how many there are. To count what a search finds may take longer than to find the first of it:
 * those are asked for alone, and their number when the typing pauses. Until it comes the number before stays.
 */
export function useHostsPage(query: HostsQuery) {
  const page = useQuery({ ...rowsQuery(query), placeholderData: keepPreviousData });
  const { data } = page;
  const isFound = isSearch(query) && data !== undefined && !page.isPlaceholderData;
  const isPaused = usePaused(query["filter.search"]);
  const isAll = isFound && !data.metadata.hasNextPage;
  const counted = useQuery({
    ...hostsPageQuery({ ...query, pageSize: 1 }),
    enabled: isFound && !isAll && isPaused,
    placeholderData: keepPreviousData,
  });
  const source = isSearch(query) ? counted.data : data;
  const total = isAll ? data.data.length : source && totalOf(source.metadata);
  const [last, setLast] = useState(total);
  if (total !== undefined && total !== last) setLast(total);
  return { page, total: counted.isError ? undefined : (total ?? last) };
}
