import { previewAccess, ValidationError } from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import { keyOf, shouldRetry } from "../lib/query.ts";
import type { PreviewMutation } from "./preview-values.ts";

/** What the calls would open and close. Calls that the server rejects as invalid aren't repeated. */
export const previewQuery = (mutations: readonly PreviewMutation[]) =>
  queryOptions({
    queryKey: keyOf(previewAccess, { mutations }),
    queryFn: ({ signal }) => api(previewAccess, { body: { mutations: [...mutations] }, signal }),
    retry: (failures, error) => !(error instanceof ValidationError) && shouldRetry(failures, error),
  });
