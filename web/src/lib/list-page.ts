import {
  NotFoundError,
  RequestError,
  ValidationError,
  type ListMetadata,
  type Page,
} from "@lightkeeper/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";
import { messageOf } from "./errors.ts";
import { formatNumber } from "./format.ts";
import { pageSizes, type ListState } from "./list-state.ts";

/** How many there are; "10,000+" where counting them all would take too long. */
export function totalOf({ totalCount, totalCountCapped }: ListMetadata): number | string | undefined {
  return totalCountCapped && totalCount !== undefined ? `${formatNumber(totalCount)}+` : totalCount;
}

/** The cursor has led to a first page with room left: without it that page is whole again. */
export function isBrokenFirstPage({ metadata: { page } }: Page<unknown>, pageSize: number): boolean {
  return page?.start === 0 && page.count < pageSize;
}

type Paging = Pick<ListState, "cursor" | "dropCursor" | "goTo" | "pageSize" | "setPageSize">;

/** A cursor that leads nowhere good is dropped from the address. */
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
 * What a DataTable needs to know of a page of a list; `prefetch` is told the next page's cursor. How many there are is
 * in the page unless they are counted elsewhere.
 */
export function useListPage<Item>(
  query: UseQueryResult<Page<Item>>,
  state: Paging,
  prefetch: (cursor: string) => unknown,
  counted: number | string | undefined = query.data && totalOf(query.data.metadata),
) {
  useUsableCursor(query, state);
  const { data, error, isFetching, refetch } = query;
  const { hasNextPage, nextCursor, hasPrevPage, prevCursor, page } = data?.metadata ?? {};
  const go = (may: boolean | undefined, cursor: string | undefined) =>
    may && cursor !== undefined ? () => state.goTo(cursor) : undefined;
  return {
    total: counted,
    rows: data?.data,
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

/** What is shown where something could not be loaded. Called while rendering: a 404 leads to the 404 page. */
export function failureOf(error: Error) {
  if (error instanceof NotFoundError) throw error;
  return {
    message: messageOf(error),
    requestID: error instanceof RequestError ? error.requestID : undefined,
  };
}
