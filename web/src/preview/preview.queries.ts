import { previewAccess, ValidationError } from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import { keyOf, shouldRetry } from "../lib/query.ts";
import type { PreviewMutation } from "./preview-values.ts";

/**
 * What the calls would open and close. Calls that the server rejects as invalid aren't repeated. Not cached: a preview
 * must be current each time a form or dialog opens.
 */
export const previewQuery = (mutations: readonly PreviewMutation[]) =>
  queryOptions({
    queryKey: keyOf(previewAccess, { mutations }),
    gcTime: 0,
    queryFn: ({ signal }) =>
      api(previewAccess, { body: { mutations: [...mutations] }, signal }).catch(rethrowOfCall),
    retry: (failures, error) => !(error instanceof ValidationError) && shouldRetry(failures, error),
  });

/** With the paths of the call itself: "mutations[0].body.name" becomes "name". */
function rethrowOfCall(error: unknown): never {
  if (error instanceof ValidationError)
    for (const entry of error.fieldErrors)
      entry.path = entry.path?.replace(/^mutations\[\d+\]\.?(body\.)?/, "") ?? null;
  throw error;
}
