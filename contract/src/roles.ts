import * as z from "zod/mini";
import { deletionAccess, detachQuery } from "./detach.ts";
import { DryRunQuery, dryRunQuery } from "./dry-run.ts";
import { access, data, endpoint, list } from "./endpoint.ts";
import { Empty, id, instant, multilineText, pageQuery, replacement, searchQuery, text } from "./fields.ts";
import { DESCRIPTION_LENGTH_MAX, NAME_LENGTH_MAX } from "./limits.ts";
import { FirewallRule, FirewallRuleInputs } from "./firewall-rules.ts";

const noun = "roles";

export const Role = z.strictObject({
  id: id("role"),
  name: z.string(),
  description: z.string(),
  firewallRules: z.array(FirewallRule),
  hostCount: z.number(),
  createdAt: instant(),
  modifiedAt: instant(),
});
export type Role = z.output<typeof Role>;

const name = text(1, NAME_LENGTH_MAX);
const optional = {
  description: z._default(z.optional(multilineText(0, DESCRIPTION_LENGTH_MAX)), ""),
  firewallRules: z._default(z.optional(z.nullable(FirewallRuleInputs)), null),
};

export const RoleCreate = z.strictObject({ name, ...optional });
/** Certificates contain the role's ID, so renaming a role needs no new certificates. */
export const RoleUpdate = replacement({ name: z.optional(name), ...optional }, Role);

export const listRoles = endpoint({
  method: "GET",
  path: "/v1/roles",
  noun,
  summary: "List roles",
  access: access.scope("roles:list"),
  query: z.strictObject({ ...pageQuery, ...searchQuery }),
  response: list(Role),
});

export const createRole = endpoint({
  method: "POST",
  path: "/v1/roles",
  noun,
  summary: "Create a role",
  access: access.scope("roles:create"),
  query: DryRunQuery,
  body: RoleCreate,
  response: data(Role),
  errors: ["ERR_DUPLICATE_VALUE", "ERR_INVALID_REFERENCE"],
});

export const getRole = endpoint({
  method: "GET",
  path: "/v1/roles/{roleID}",
  noun,
  summary: "Get a role",
  access: access.scope("roles:read"),
  response: data(Role),
});

export const updateRole = endpoint({
  method: "PUT",
  path: "/v1/roles/{roleID}",
  noun,
  summary: "Replace a role's description and rules; the name is kept if missing",
  access: access.scope("roles:update"),
  query: DryRunQuery,
  body: RoleUpdate,
  response: data(Role),
  errors: ["ERR_DUPLICATE_VALUE", "ERR_INVALID_REFERENCE"],
});

export const deleteRole = endpoint({
  method: "DELETE",
  path: "/v1/roles/{roleID}",
  noun,
  summary: "Delete a role; if hosts or rules use it, `detach` is required",
  access: deletionAccess("roles:delete"),
  query: z.strictObject({ ...detachQuery, ...dryRunQuery }),
  response: data(Empty),
  errors: ["ERR_HAS_DEPENDENTS"],
});
