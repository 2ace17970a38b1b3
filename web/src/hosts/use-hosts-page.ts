import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { totalOf } from "../lib/list-page.ts";
import { queryClient } from "../lib/query.ts";
import { startTimer } from "../ui/base/timer.ts";
import { hostsPageQuery, type HostsQuery } from "../references/hosts.queries.ts";

/** Longer than the usual time between two keystrokes. */
const PAUSE_MS = 250;

function useIsTypingPaused(typed: string | undefined): boolean {
  const [settled, setSettled] = useState(typed);
  useEffect(() => startTimer(() => setSettled(typed), PAUSE_MS).clear, [typed]);
  return settled === typed;
}

const isSearch = (query: HostsQuery) => query["filter.search"] !== undefined && query.cursor === undefined;

const rowsQuery = (query: HostsQuery) =>
  hostsPageQuery(isSearch(query) ? { ...query, includeCounts: false } : query);

/** Starts the request before the page renders its pending state, which saves one frame. */
export const prefetchSearch = (query: HostsQuery): void => void queryClient.prefetchQuery(rowsQuery(query));

/**
 * A page of hosts and their total. Counting the matches of a search can take longer than finding the first page, so the
 * page is requested without a count, and the count when typing pauses. Until then the previous total is shown.
 */
export function useHostsPage(query: HostsQuery) {
  const page = useQuery({ ...rowsQuery(query), placeholderData: keepPreviousData });
  const { data } = page;
  const isSearchLoaded = isSearch(query) && data !== undefined && !page.isPlaceholderData;
  const isPaused = useIsTypingPaused(query["filter.search"]);
  const isSinglePage = isSearchLoaded && !data.metadata.hasNextPage;
  const counted = useQuery({
    ...hostsPageQuery({ ...query, pageSize: 1 }),
    enabled: isSearchLoaded && !isSinglePage && isPaused,
    placeholderData: keepPreviousData,
  });
  const source = isSearch(query) ? counted.data : data;
  const total = isSinglePage ? data.data.length : source && totalOf(source.metadata);
  const [last, setLast] = useState(total);
  if (total !== undefined && total !== last) setLast(total);
  return { page, total: counted.isError ? undefined : (total ?? last) };
}
