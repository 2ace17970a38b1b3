import * as z from "zod/mini";
import { Organization } from "./auth.ts";
import { access, data, endpoint, withRecentFactor } from "./endpoint.ts";
import { Empty, replacement, text } from "./fields.ts";
import { LONG_NAME_LENGTH_MAX } from "./limits.ts";

export const OrganizationUpdate = replacement({ name: text(1, LONG_NAME_LENGTH_MAX) }, Organization);

export const updateOrganization = endpoint({
  method: "PUT",
  path: "/v1/organizations/{organizationID}",
  noun: "organizations",
  summary: "Rename the organization",
  access: access.session,
  body: OrganizationUpdate,
  response: data(Organization),
});

export const deleteOrganization = endpoint({
  method: "DELETE",
  path: "/v1/organizations/{organizationID}",
  noun: "organizations",
  summary: "Delete the organization and everything in it",
  access: withRecentFactor(access.owner),
  response: data(Empty),
  errors: ["ERR_BILLING_INVALID_STATE"],
});

export const FeatureFlags = z.record(z.string(), z.boolean());
export type FeatureFlags = z.output<typeof FeatureFlags>;
export const FEATURE_FLAGS_CACHE_MS = 600_000;

export const getFeatureFlags = endpoint({
  method: "GET",
  path: "/v1/feature-flags",
  noun: "feature-flags",
  summary: "Get the organization's feature flags",
  access: access.session,
  response: data(FeatureFlags),
});
