import type { AccessPreview } from "@lightkeeper/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSettledValue } from "../on-demand/use-settled-value.ts";
import { emptyPreview } from "./preview-summary.ts";
import type { PreviewMutations } from "./preview-values.ts";
import { previewQuery } from "./preview.queries.ts";

const PREVIEW_DELAY_MS = 250;

export interface PreviewState {
  /** The answer for the current values, or the previous one while it is loading. */
  data: AccessPreview | undefined;
  /** The values are invalid, so there is nothing to preview. */
  isIncomplete: boolean;
  isLoading: boolean;
  error: Error | null;
}

/** The preview of the calls, requested after a pause. */
export function usePreview(mutations: PreviewMutations): PreviewState {
  const settled = useSettledValue(mutations, PREVIEW_DELAY_MS);
  const { data, error, isFetching } = useQuery({
    ...previewQuery(settled ?? []),
    enabled: settled !== null && settled.length > 0,
    placeholderData: keepPreviousData,
  });
  if (mutations?.length === 0)
    return { data: emptyPreview, isIncomplete: false, isLoading: false, error: null };
  return {
    data: error ? undefined : data,
    isIncomplete: mutations === null,
    isLoading: isFetching,
    error,
  };
}
