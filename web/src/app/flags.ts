import { FEATURE_FLAGS_CACHE_MS, getFeatureFlags } from "@lightkeeper/contract";
import { read } from "../lib/query.ts";

export const flagsQuery = { ...read(getFeatureFlags), staleTime: FEATURE_FLAGS_CACHE_MS };
