import * as z from "zod/mini";
import { DryRunQuery } from "./dry-run.ts";
import { access, data, endpoint, list } from "./endpoint.ts";
import {
  Empty,
  extension,
  id,
  instant,
  multilineText,
  pageQuery,
  replacement,
  searchQuery,
  text,
} from "./fields.ts";
import { DESCRIPTION_LENGTH_MAX, ID_LENGTH_MAX, NAME_LENGTH_MAX } from "./limits.ts";
import { RouteFirewallRule, RouteFirewallRuleInputs } from "./firewall-rules.ts";

const noun = "routes";

const RoutableCidrs = z.record(z.string().check(z.maxLength(64)), z.strictObject({ install: z.boolean() }));
/** `install` defaults to true. */
const RoutableCidrInputs = z.record(
  z.string().check(z.maxLength(64)),
  z.strictObject({ install: z._default(z.optional(z.boolean()), true) }),
);

const common = {
  id: id("route"),
  name: z.string(),
  description: z.string(),
  /** Missing if the route has no router. */
  routerHostID: z.optional(id("host")),
  routableCIDRs: RoutableCidrs,
  acceptWiderRules: extension(z.boolean()),
  createdAt: instant(),
  modifiedAt: instant(),
};
export const RouteListItem = z.strictObject({ ...common, firewallRulesCount: z.number() });
export type RouteListItem = z.output<typeof RouteListItem>;
export const Route = z.strictObject({ ...common, firewallRules: z.array(RouteFirewallRule) });
export type Route = z.output<typeof Route>;

export const CIDRS_MAX = 100;
const editable = {
  name: text(1, NAME_LENGTH_MAX),
  description: z._default(z.optional(multilineText(0, DESCRIPTION_LENGTH_MAX)), ""),
  routerHostID: z._default(z.optional(z.nullable(z.string().check(z.maxLength(ID_LENGTH_MAX)))), null),
  routableCIDRs: z._default(
    z.optional(RoutableCidrInputs.check(z.refine((cidrs) => Object.keys(cidrs).length <= CIDRS_MAX))),
    {},
  ),
  firewallRules: z._default(z.optional(z.nullable(RouteFirewallRuleInputs)), null),
  /** Serve the route even if the router's Nebula is too old to limit rules to the subnets behind it. */
  acceptWiderRules: extension(z._default(z.optional(z.boolean()), false)),
};
export const RouteCreate = z.strictObject(editable);
export const RouteUpdate = replacement(editable, Route);

const writeErrors = [
  "ERR_DUPLICATE_VALUE",
  "ERR_INVALID_REFERENCE",
  "ERR_INVALID_IPV4_CIDR",
  "ERR_RULES_WIDER",
] as const;

export const listRoutes = endpoint({
  method: "GET",
  path: "/v1/routes",
  noun,
  summary: "List routes",
  access: access.scope("routes:list"),
  query: z.strictObject({ ...pageQuery, ...searchQuery }),
  response: list(RouteListItem),
});

export const createRoute = endpoint({
  method: "POST",
  path: "/v1/routes",
  noun,
  summary: "Create a route to subnets behind a host",
  access: access.scope("routes:create"),
  query: DryRunQuery,
  body: RouteCreate,
  response: data(Route),
  errors: writeErrors,
});

export const getRoute = endpoint({
  method: "GET",
  path: "/v1/routes/{routeID}",
  noun,
  summary: "Get a route",
  access: access.scope("routes:read"),
  response: data(Route),
});

export const updateRoute = endpoint({
  method: "PUT",
  path: "/v1/routes/{routeID}",
  noun,
  summary: "Replace a route",
  access: access.scope("routes:update"),
  query: DryRunQuery,
  body: RouteUpdate,
  response: data(Route),
  errors: writeErrors,
});

export const deleteRoute = endpoint({
  method: "DELETE",
  path: "/v1/routes/{routeID}",
  noun,
  summary: "Delete a route and all subscriptions to it",
  access: access.scope("routes:delete"),
  query: DryRunQuery,
  response: data(Empty),
});
