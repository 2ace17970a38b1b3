import * as z from "zod/mini";
import { ConfigOverride, ConfigOverrides } from "./config-overrides.ts";
import { deletionAccess, detachQuery } from "./detach.ts";
import { DryRunQuery, dryRunQuery } from "./dry-run.ts";
import { access, data, endpoint, list } from "./endpoint.ts";
import {
  described,
  Empty,
  id,
  multilineText,
  pageQuery,
  replacement,
  searchQuery,
  sortQuery,
} from "./fields.ts";
import { DESCRIPTION_LENGTH_MAX, ID_LENGTH_MAX } from "./limits.ts";
import { FirewallRule, FirewallRuleInputs } from "./firewall-rules.ts";
import { TagName } from "./tag-names.ts";

const noun = "tags";

const common = {
  name: z.string(),
  description: z.string(),
  priority: z.number(),
  configOverrides: z.array(ConfigOverride),
  routeSubscriptions: z.array(id("route")),
  firewallRulesCount: z.number(),
  hostCount: z.number(),
};
export const TagListItem = z.strictObject(common);
export const Tag = z.strictObject({ ...common, firewallRules: z.array(FirewallRule) });
export type Tag = z.output<typeof Tag>;
export type TagListItem = z.output<typeof TagListItem>;

const ROUTES_MAX = 100;
const neighbor = z.optional(z.string().check(z.maxLength(100)));
const editable = {
  description: z._default(z.optional(multilineText(0, DESCRIPTION_LENGTH_MAX)), ""),
  configOverrides: z._default(z.optional(ConfigOverrides), []),
  routeSubscriptions: z._default(
    z.optional(z.array(z.string().check(z.maxLength(ID_LENGTH_MAX))).check(z.maxLength(ROUTES_MAX))),
    [],
  ),
  firewallRules: z._default(z.optional(z.nullable(FirewallRuleInputs)), null),
  before: described(neighbor, "Give the tag the priority directly below the tag with this name."),
  after: described(neighbor, "Give the tag the priority directly above the tag with this name."),
};

export const TagCreate = z.strictObject({ name: TagName, ...editable });
export const TagUpdate = replacement(editable, Tag);

const writeErrors = ["ERR_INVALID_REFERENCE"] as const;

export const listTags = endpoint({
  method: "GET",
  path: "/v2/tags",
  noun,
  summary: "List tags, by default with the lowest priority first",
  access: access.scope("tags:list"),
  query: z.strictObject({ ...pageQuery, ...searchQuery, ...sortQuery(["priority"]) }),
  response: list(TagListItem),
});

export const createTag = endpoint({
  method: "POST",
  path: "/v1/tags",
  noun,
  summary: "Create a tag, by default with the highest priority",
  access: access.scope("tags:create"),
  query: DryRunQuery,
  body: TagCreate,
  response: data(Tag),
  errors: ["ERR_DUPLICATE_VALUE", ...writeErrors],
});

export const getTag = endpoint({
  method: "GET",
  path: "/v1/tags/{tag}",
  noun,
  summary: "Get a tag",
  access: access.scope("tags:read"),
  response: data(Tag),
});

export const updateTag = endpoint({
  method: "PUT",
  path: "/v1/tags/{tag}",
  noun,
  summary: "Replace a tag's properties; rules and priority are kept if missing",
  access: access.scope("tags:update"),
  query: DryRunQuery,
  body: TagUpdate,
  response: data(Tag),
  errors: writeErrors,
});

export const deleteTag = endpoint({
  method: "DELETE",
  path: "/v1/tags/{tag}",
  noun,
  summary: "Delete a tag; if hosts or rules use it, `detach` is required",
  access: deletionAccess("tags:delete"),
  query: z.strictObject({ ...detachQuery, ...dryRunQuery }),
  response: data(Empty),
  errors: ["ERR_HAS_DEPENDENTS"],
});
