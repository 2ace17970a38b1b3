import * as z from "zod/mini";
import { access, data, endpoint, list } from "./endpoint.ts";
import { Empty, id, instant, multilineText, pageQuery, replacement, text, withErrorCode } from "./fields.ts";
import { DESCRIPTION_LENGTH_MAX, LONG_NAME_LENGTH_MAX } from "./limits.ts";

const noun = "networks";

const name = text(1, LONG_NAME_LENGTH_MAX);
const description = multilineText(0, DESCRIPTION_LENGTH_MAX);
/** Only the length is validated here; the server validates the CIDR. */
const cidrText = z
  .string()
  .check(
    z.refine(
      (value) => value.length <= 64,
      withErrorCode("ERR_INVALID_IPV4_CIDR", "must be an IPv4 network in CIDR form, such as 100.100.0.0/22"),
    ),
  )
  .register(z.globalRegistry, { examples: ["100.100.0.0/22"] });
/** With `certVersion` 1 one IPv4 CIDR; with 2 one IPv6 CIDR and up to one IPv4 CIDR. */
const cidrTexts = z.array(cidrText).check(z.maxLength(2));
const curve = z.enum(["25519", "P256"]);
const certVersion = z.union([z.literal(1), z.literal(2)]);

const common = {
  id: id("network"),
  organizationID: id("org"),
  name: z.string(),
  description: z.string(),
  curve,
  signingCAID: id("ca"),
  lighthousesAsRelays: z.boolean(),
  hostCount: z.number(),
  createdAt: instant(),
};

export const NetworkV2 = z.strictObject({
  ...common,
  cidrs: z.array(z.string()),
  certVersion,
  disableManagedLighthouses: z.boolean(),
});
export type NetworkV2 = z.output<typeof NetworkV2>;

export const Network = z.strictObject({ ...common, cidr: z.string() });
export type Network = z.output<typeof Network>;

export const NetworkCreate = z.strictObject({
  name,
  description: z._default(z.optional(description), ""),
  cidr: z.optional(cidrText),
  lighthousesAsRelays: z._default(z.optional(z.boolean()), false),
});

export const NetworkV2Create = z.strictObject({
  name,
  description: z._default(z.optional(description), ""),
  cidrs: z.optional(cidrTexts),
  curve: z._default(z.optional(curve), "25519"),
  certVersion: z._default(z.optional(certVersion), 1),
  lighthousesAsRelays: z._default(z.optional(z.boolean()), false),
  disableManagedLighthouses: z._default(z.optional(z.boolean()), false),
});

export const NetworkUpdate = replacement(
  {
    name,
    description: z._default(z.optional(description), ""),
    lighthousesAsRelays: z._default(z.optional(z.boolean()), false),
  },
  Network,
);

export const NetworkV2Update = replacement(
  {
    name,
    lighthousesAsRelays: z.boolean(),
    description: z._default(z.optional(description), ""),
    disableManagedLighthouses: z._default(z.optional(z.boolean()), false),
  },
  NetworkV2,
);

const createErrors = [
  "ERR_DUPLICATE_VALUE",
  "ERR_INVALID_IPV4_CIDR",
  "ERR_INVALID_CIDR_MASK_SIZE",
  "ERR_LIMIT_EXCEEDED",
] as const;

export const listNetworks = endpoint({
  method: "GET",
  path: "/v1/networks",
  noun,
  summary: "List networks",
  access: access.scope("networks:list"),
  query: z.strictObject(pageQuery),
  response: list(Network),
  deprecated: true,
});

export const listNetworksV2 = endpoint({
  method: "GET",
  path: "/v2/networks",
  noun,
  summary: "List networks",
  access: access.scope("networks:list"),
  query: z.strictObject(pageQuery),
  response: list(NetworkV2),
});

export const getNetwork = endpoint({
  method: "GET",
  path: "/v1/networks/{networkID}",
  noun,
  summary: "Get a network",
  access: access.scope("networks:read"),
  response: data(Network),
  deprecated: true,
});

export const getNetworkV2 = endpoint({
  method: "GET",
  path: "/v2/networks/{networkID}",
  noun,
  summary: "Get a network",
  access: access.scope("networks:read"),
  response: data(NetworkV2),
});

export const createNetwork = endpoint({
  method: "POST",
  path: "/v1/networks",
  noun,
  summary: "Create a network; without a CIDR, it gets the next free one",
  access: access.scope("networks:create"),
  body: NetworkCreate,
  response: data(Network),
  errors: createErrors,
});

export const createNetworkV2 = endpoint({
  extension: true,
  method: "POST",
  path: "/v2/networks",
  noun,
  summary: "Create a network; without a CIDR, it gets a free one",
  access: access.scope("networks:create"),
  body: NetworkV2Create,
  response: data(NetworkV2),
  errors: [...createErrors, "ERR_NETWORK_ALREADY_HAS_IPV4_CIDR"],
});

export const updateNetwork = endpoint({
  method: "PUT",
  path: "/v1/networks/{networkID}",
  noun,
  summary: "Replace a network's editable properties",
  access: access.scope("networks:update"),
  body: NetworkUpdate,
  response: data(Network),
  errors: ["ERR_DUPLICATE_VALUE"],
  deprecated: true,
});

export const updateNetworkV2 = endpoint({
  method: "PUT",
  path: "/v2/networks/{networkID}",
  noun,
  summary: "Replace a network's editable properties",
  access: access.scope("networks:update"),
  body: NetworkV2Update,
  response: data(NetworkV2),
  errors: ["ERR_DUPLICATE_VALUE"],
});

export const deleteNetwork = endpoint({
  method: "DELETE",
  path: "/v1/networks/{networkID}",
  noun,
  summary: "Delete a network; it must have no hosts",
  access: access.scope("networks:delete"),
  response: data(Empty),
  errors: ["ERR_HAS_DEPENDENTS"],
});

export const addNetworkCidr = endpoint({
  method: "POST",
  path: "/v2/networks/{networkID}/cidrs",
  noun,
  summary: "Add an IPv4 CIDR to an IPv6-only network",
  access: access.scope("networks:update"),
  body: z.strictObject({ cidr: cidrText }),
  response: data(NetworkV2),
  errors: ["ERR_NETWORK_ALREADY_HAS_IPV4_CIDR", "ERR_INVALID_IPV4_CIDR", "ERR_INVALID_CIDR_MASK_SIZE"],
});
