import { FEATURE_FLAGS_CACHE_MS, getFeatureFlags } from "@lightkeeper/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import { keyOf } from "../lib/query.ts";

/** Without any flags, all flags are off. */
export const flagsQuery = queryOptions({
  queryKey: keyOf(getFeatureFlags),
  queryFn: async ({ signal }): Promise<Record<string, boolean>> =>
    (await api(getFeatureFlags, { signal })) ?? {},
  staleTime: FEATURE_FLAGS_CACHE_MS,
});
