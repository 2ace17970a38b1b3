import * as z from "zod/mini";
import { ConfigOverride, ConfigOverrides } from "./config-overrides.ts";
import { access, data, endpoint, list, type Schema } from "./endpoint.ts";
import {
  Empty,
  extension,
  filterQuery,
  id,
  instant,
  pageQuery,
  query,
  replacement,
  searchQuery,
  sortQuery,
  text,
} from "./fields.ts";
import { StoredTagNames, TagNames } from "./tag-names.ts";

const noun = "hosts";

export const hostStatuses = ["online", "offline", "neverEnrolled", "blocked", "expiring", "drifted"] as const;
export type HostStatus = (typeof hostStatuses)[number];

const HostMetadata = z.strictObject({
  lastSeenAt: z.nullable(instant()),
  platform: z.nullable(z.enum(["dnclient", "mobile"])),
  version: z.nullable(z.string()),
  updateAvailable: z.nullable(z.boolean()),
  /** All statuses of the host, with the meaning of `filter.status`. */
  statuses: extension(z.array(z.enum(hostStatuses))),
  /** The name and versions that the client reports; null until it has reported. */
  agent: extension(
    z.nullable(
      z.strictObject({
        name: z.string(),
        version: z.nullable(z.string()),
        /** Null if the client doesn't report it. */
        nebulaVersion: z.nullable(z.string()),
      }),
    ),
  ),
  /** When the certificate in use expires. */
  certificateExpiresAt: extension(z.nullable(instant())),
  /** When the host last enrolled. */
  enrolledAt: extension(z.nullable(instant())),
});

const common = {
  id: id("host"),
  organizationID: id("org"),
  networkID: id("network"),
  roleID: z.nullable(id("role")),
  endpointOIDCUserID: z.nullable(id("eoidcuser")),
  name: z.string(),
  staticAddresses: z.array(z.string()),
  listenPort: z.number(),
  isLighthouse: z.boolean(),
  isRelay: z.boolean(),
  isBlocked: z.boolean(),
  createdAt: instant(),
  modifiedAt: instant(),
  metadata: HostMetadata,
  tags: z.array(z.string()),
  configOverrides: z.array(ConfigOverride),
};
/** The deprecated shape, with one address. */
export const Host = z.strictObject({ ...common, ipAddress: z.string() });
export type Host = z.output<typeof Host>;
export const HostV2 = z.strictObject({ ...common, ipAddresses: z.array(z.string()) });
export type HostV2 = z.output<typeof HostV2>;

const STATIC_ADDRESSES_MAX = 20;
const name = text(1, 255);
const address = z.string().check(z.maxLength(64));
const roleID = z._default(z.optional(z.nullable(z.string().check(z.maxLength(64)))), null);
const staticAddresses = z._default(
  z.optional(z.array(z.string().check(z.maxLength(255))).check(z.maxLength(STATIC_ADDRESSES_MAX))),
  [],
);
const listenPort = z._default(
  z.optional(
    z
      .int()
      .check(z.minimum(0, "must be between 0 and 65535"), z.maximum(65_535, "must be between 0 and 65535")),
  ),
  0,
);

const creatable = {
  name,
  networkID: z.string().check(z.maxLength(64)),
  roleID,
  staticAddresses,
  listenPort,
  isLighthouse: z._default(z.optional(z.boolean()), false),
  isRelay: z._default(z.optional(z.boolean()), false),
  tags: z._default(z.optional(TagNames), []),
  configOverrides: z._default(z.optional(ConfigOverrides), []),
};
const v1Address = { ipAddress: z.optional(address) };
/** Addresses to assign, or prefixes to assign one from. */
const v2Addresses = { ipAddresses: z.optional(z.array(address).check(z.maxLength(2))) };
const codeLifetime = {
  codeLifetimeSeconds: z._default(z.optional(z.int().check(z.minimum(60), z.maximum(30 * 86_400))), 86_400),
};

export const HostCreate = z.strictObject({ ...creatable, ...v1Address });
export const HostV2Create = z.strictObject({ ...creatable, ...v2Addresses });
export type HostV2CreateInput = z.input<typeof HostV2Create>;

/** Name, tags and overrides keep their values if missing. */
const updatable = {
  name: z.optional(name),
  roleID,
  staticAddresses,
  listenPort,
  tags: z.optional(TagNames),
  configOverrides: z.optional(ConfigOverrides),
};
export const HostUpdate = replacement(updatable, Host);
export const HostV2Update = replacement(updatable, HostV2);

export const hostSorts = ["name", "ipAddress", "lastSeenAt", "createdAt"] as const;

/** A query parameter that can be repeated. */
const tagFilter = z.pipe(
  z.union([z.string(), StoredTagNames]),
  z.pipe(
    z.transform((value: string | string[]) => [value].flat()),
    StoredTagNames,
  ),
);

const idOr = (prefix: string) =>
  z.string().check(z.regex(new RegExp(`^(${prefix}-[A-Z2-7]{26}|any|null)$`), "must be an id, any or null"));

const filters = <Flag extends Schema>(flag: Flag) => ({
  networkID: z.optional(id("network")),
  roleID: z.optional(idOr("role")),
  isBlocked: z.optional(flag),
  isLighthouse: z.optional(flag),
  isRelay: z.optional(flag),
  tag: z.optional(tagFilter),
  status: extension(z.optional(z.enum(hostStatuses))),
  "metadata.lastSeenAt": z.optional(z.literal("null")),
  "metadata.platform": z.optional(z.enum(["mobile", "dnclient", "null"])),
  "metadata.updateAvailable": z.optional(flag),
  endpointOIDCUserID: z.optional(idOr("eoidcuser")),
  search: searchQuery["filter.search"],
});

/** The filters of the list of hosts in a request body, without the prefix `filter.`. */
export const HostFilter = z.strictObject(filters(z.boolean()));
export type HostFilter = z.output<typeof HostFilter>;

const HostsQuery = z.strictObject({
  ...pageQuery,
  ...sortQuery(hostSorts),
  ...filterQuery(filters(query.flag())),
});

const EnrollmentCode = z.strictObject({ code: z.string(), lifetimeSeconds: z.number() });

const createErrors = [
  "ERR_DUPLICATE_VALUE",
  "ERR_INVALID_REFERENCE",
  "ERR_NETWORK_FULLY_ALLOCATED",
  "ERR_CERT_VERSION_2_INCOMPATIBLE",
  "ERR_LIMIT_EXCEEDED",
] as const;
const updateErrors = ["ERR_DUPLICATE_VALUE", "ERR_INVALID_REFERENCE"] as const;

export const listHosts = endpoint({
  method: "GET",
  path: "/v1/hosts",
  noun,
  summary: "List hosts",
  access: access.scope("hosts:list"),
  query: HostsQuery,
  response: list(Host),
  deprecated: true,
});

export const listHostsV2 = endpoint({
  method: "GET",
  path: "/v2/hosts",
  noun,
  summary: "List hosts",
  access: access.scope("hosts:list"),
  query: HostsQuery,
  response: list(HostV2),
});

export const createHost = endpoint({
  method: "POST",
  path: "/v1/hosts",
  noun,
  summary: "Create a host; without an address, it gets the lowest free one",
  access: access.scope("hosts:create"),
  body: HostCreate,
  response: data(Host),
  errors: createErrors,
  deprecated: true,
});

export const createHostV2 = endpoint({
  method: "POST",
  path: "/v2/hosts",
  noun,
  summary: "Create a host; without an address, it gets the lowest free one",
  access: access.scope("hosts:create"),
  body: HostV2Create,
  response: data(HostV2),
  errors: createErrors,
});

export const getHost = endpoint({
  method: "GET",
  path: "/v1/hosts/{hostID}",
  noun,
  summary: "Get a host",
  access: access.scope("hosts:read"),
  response: data(Host),
  deprecated: true,
});

export const getHostV2 = endpoint({
  method: "GET",
  path: "/v2/hosts/{hostID}",
  noun,
  summary: "Get a host",
  access: access.scope("hosts:read"),
  response: data(HostV2),
});

export const updateHostV2 = endpoint({
  method: "PUT",
  path: "/v2/hosts/{hostID}",
  noun,
  summary: "Replace a host's editable properties",
  access: access.scope("hosts:update"),
  body: HostUpdate,
  response: data(Host),
  errors: updateErrors,
  deprecated: true,
});

export const updateHostV3 = endpoint({
  method: "PUT",
  path: "/v3/hosts/{hostID}",
  noun,
  summary: "Replace a host's editable properties",
  access: access.scope("hosts:update"),
  body: HostV2Update,
  response: data(HostV2),
  errors: updateErrors,
});

export const deleteHost = endpoint({
  method: "DELETE",
  path: "/v1/hosts/{hostID}",
  noun,
  summary: "Delete a host; its certificates are revoked",
  access: access.scope("hosts:delete"),
  response: data(Empty),
  errors: ["ERR_HAS_DEPENDENTS"],
});

export const blockHost = endpoint({
  method: "POST",
  path: "/v1/hosts/{hostID}/block",
  noun,
  summary: "Block a host: its certificate is revoked and it's disconnected immediately",
  access: access.scope("hosts:block"),
  response: data(z.strictObject({ host: Host })),
  deprecated: true,
});

export const blockHostV2 = endpoint({
  method: "POST",
  path: "/v2/hosts/{hostID}/block",
  noun,
  summary: "Block a host: its certificate is revoked and it's disconnected immediately",
  access: access.scope("hosts:block"),
  response: data(HostV2),
});

export const unblockHost = endpoint({
  method: "POST",
  path: "/v1/hosts/{hostID}/unblock",
  noun,
  summary: "Unblock a host; it must enroll again",
  access: access.scope("hosts:unblock"),
  response: data(z.strictObject({ host: Host })),
  deprecated: true,
});

export const unblockHostV2 = endpoint({
  method: "POST",
  path: "/v2/hosts/{hostID}/unblock",
  noun,
  summary: "Unblock a host; it must enroll again",
  access: access.scope("hosts:unblock"),
  response: data(HostV2),
});

export const createEnrollmentCode = endpoint({
  method: "POST",
  path: "/v1/hosts/{hostID}/enrollment-code",
  noun,
  summary: "Create an enrollment code; an older code stops working",
  access: access.scope("hosts:enroll"),
  response: data(EnrollmentCode),
  errors: ["ERR_HOST_BLOCKED"],
});

export const createHostAndEnrollmentCode = endpoint({
  method: "POST",
  path: "/v1/host-and-enrollment-code",
  noun,
  summary: "Create a host and its enrollment code",
  access: access.scope("hosts:create", "hosts:enroll"),
  body: HostCreate,
  response: data(z.strictObject({ host: Host, enrollmentCode: EnrollmentCode })),
  errors: createErrors,
  deprecated: true,
});

export const createHostAndEnrollmentCodeV2 = endpoint({
  method: "POST",
  path: "/v2/host-and-enrollment-code",
  noun,
  summary: "Create a host and its enrollment code",
  access: access.scope("hosts:create", "hosts:enroll"),
  body: z.strictObject({ ...creatable, ...v2Addresses, ...codeLifetime }),
  response: data(z.strictObject({ host: HostV2, enrollmentCode: EnrollmentCode })),
  errors: createErrors,
});
