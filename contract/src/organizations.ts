import * as z from "zod/mini";
import { access, data, endpoint } from "./endpoint.ts";
import { Empty } from "./fields.ts";

export const deleteOrganization = endpoint({
  method: "DELETE",
  path: "/v1/organizations/{organizationID}",
  noun: "organizations",
  summary: "Delete the organization and everything in it",
  access: access.freshUser,
  answer: data(Empty),
  errors: ["ERR_BILLING_INVALID_STATE"],
});

export const FeatureFlags = z.record(z.string(), z.boolean());
export type FeatureFlags = z.output<typeof FeatureFlags>;
export const FEATURE_FLAGS_CACHE_MS = 600_000;

export const getFeatureFlags = endpoint({
  method: "GET",
  path: "/v1/feature-flags",
  noun: "feature-flags",
  summary: "The feature flags of the organization",
  access: access.session,
  answer: data(FeatureFlags),
});
