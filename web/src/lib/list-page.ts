import {
  NotFoundError,
  RequestError,
  ValidationError,
  type ListMetadata,
  type Page,
} from "@lightkeeper/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { messageOf } from "./errors.ts";
import { formatNumber } from "./format.ts";
import { pageSizes, type ListState } from "./list-state.ts";

/** The number of items; "10,000+" where the server stops counting. */
export function totalOf({ totalCount, totalCountCapped }: ListMetadata): number | string | undefined {
  return totalCountCapped && totalCount !== undefined ? `${formatNumber(totalCount)}+` : totalCount;
}

/** The cursor points at a first page that isn't full: without the cursor, that page is complete again. */
export function isBrokenFirstPage({ metadata: { page } }: Page<unknown>, pageSize: number): boolean {
  return page?.start === 0 && page.count < pageSize;
}

type Paging = Pick<ListState, "cursor" | "dropCursor" | "goTo" | "pageSize" | "setPageSize">;

/** Removes an invalid or outdated cursor from the URL. */
function useUsableCursor(query: UseQueryResult<Page<unknown>>, state: Paging): void {
  const { data, error, isPlaceholderData } = query;
  const isRefused =
    error instanceof ValidationError && error.fieldErrors.some(({ path }) => path === "cursor");
  const isPast = data !== undefined && (isBrokenFirstPage(data, state.pageSize) || data.data.length === 0);
  const isUseless = state.cursor !== undefined && (isRefused || (isPast && !isPlaceholderData));
  useEffect(() => {
    if (isUseless) state.dropCursor();
  });
}

/**
 * The props of a DataTable for one page of a list. `prefetch` gets the cursor of the next page. The total comes with the
 * page unless the caller counts separately.
 */
export function useListPage<Item>(
  query: UseQueryResult<Page<Item>>,
  state: Paging,
  prefetch: (cursor: string) => unknown,
  counted: number | string | undefined = query.data && totalOf(query.data.metadata),
) {
  useUsableCursor(query, state);
  const [isLoadedLate] = useState(query.data === undefined);
  const { data, error, isFetching, refetch } = query;
  const { hasNextPage, nextCursor, hasPrevPage, prevCursor, page } = data?.metadata ?? {};
  const go = (may: boolean | undefined, cursor: string | undefined) =>
    may && cursor !== undefined ? () => state.goTo(cursor) : undefined;
  return {
    total: counted,
    rows: data?.data,
    isLoadedLate,
    refreshing: isFetching,
    failure: error ? { ...failureOf(error), onRetry: () => void refetch() } : undefined,
    pagination: {
      start: page?.start ?? 0,
      count: data?.data.length ?? 0,
      total: counted ?? data?.data.length ?? 0,
      pageSize: { value: state.pageSize, choices: pageSizes, onChange: state.setPageSize },
      onPrevious: go(hasPrevPage, prevCursor),
      onNext: go(hasNextPage, nextCursor),
      onNextIntent: () => void (hasNextPage && nextCursor !== undefined && prefetch(nextCursor)),
    },
  };
}

/** The props of the error shown in place of data. Call it while rendering: it rethrows a 404 for the 404 page. */
export function failureOf(error: Error) {
  if (error instanceof NotFoundError) throw error;
  return {
    message: messageOf(error),
    requestID: error instanceof RequestError ? error.requestID : undefined,
  };
}
