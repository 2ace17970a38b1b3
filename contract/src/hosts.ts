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
import { TagNames, WrittenTagNames } from "./firewall-rules.ts";

const noun = "hosts";

export const hostStatuses = ["online", "offline", "neverEnrolled", "blocked", "expiring", "drifted"] as const;
export type HostStatus = (typeof hostStatuses)[number];

const HostMetadata = z.strictObject({
  lastSeenAt: z.nullable(instant()),
  platform: z.nullable(z.enum(["dnclient", "mobile"])),
  version: z.nullable(z.string()),
  updateAvailable: z.nullable(z.boolean()),
  /** Everything that is true of the host, as `filter.status` means it. */
  statuses: extension(z.array(z.enum(hostStatuses))),
  /** The name and versions that the client reports; null until it has reported. */
  agent: extension(
    z.nullable(
      z.strictObject({
        name: z.string(),
        version: z.nullable(z.string()),
        /** Null where the client does not report it. */
        nebulaVersion: z.nullable(z.string()),
      }),
    ),
  ),
  /** When the certificate in use expires. */
  certificateExpiresAt: extension(z.nullable(instant())),
  /** When it last enrolled; null while it never has. */
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
/** The deprecated shape: one address. */
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

/** Tags and overrides that are left out stay as they are; so does the name. */
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

/** One or several of the same name in a query string. */
const someTags = z.pipe(
  z.union([z.string(), WrittenTagNames]),
  z.pipe(
    z.transform((value: string | string[]) => [value].flat()),
    WrittenTagNames,
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
  tag: z.optional(someTags),
  status: extension(z.optional(z.enum(hostStatuses))),
  "metadata.lastSeenAt": z.optional(z.literal("null")),
  "metadata.platform": z.optional(z.enum(["mobile", "dnclient", "null"])),
  "metadata.updateAvailable": z.optional(flag),
  endpointOIDCUserID: z.optional(idOr("eoidcuser")),
  search: searchQuery["filter.search"],
});

/** What a list can be narrowed by, as a body says it: the names of the query string without `filter.`. */
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
  answer: list(Host),
  deprecated: true,
});

export const listHostsV2 = endpoint({
  method: "GET",
  path: "/v2/hosts",
  noun,
  summary: "List hosts",
  access: access.scope("hosts:list"),
  query: HostsQuery,
  answer: list(HostV2),
});

export const createHost = endpoint({
  method: "POST",
  path: "/v1/hosts",
  noun,
  summary: "Create a host; without an address it gets the lowest free one",
  access: access.scope("hosts:create"),
  body: HostCreate,
  answer: data(Host),
  errors: createErrors,
  deprecated: true,
});

export const createHostV2 = endpoint({
  method: "POST",
  path: "/v2/hosts",
  noun,
  summary: "Create a host; without an address it gets the lowest free one",
  access: access.scope("hosts:create"),
  body: HostV2Create,
  answer: data(HostV2),
  errors: createErrors,
});

export const getHost = endpoint({
  method: "GET",
  path: "/v1/hosts/{hostID}",
  noun,
  summary: "Get a host",
  access: access.scope("hosts:read"),
  answer: data(Host),
  deprecated: true,
});

export const getHostV2 = endpoint({
  method: "GET",
  path: "/v2/hosts/{hostID}",
  noun,
  summary: "Get a host",
  access: access.scope("hosts:read"),
  answer: data(HostV2),
});

export const updateHostV2 = endpoint({
  method: "PUT",
  path: "/v2/hosts/{hostID}",
  noun,
  summary: "Replace a host's editable properties",
  access: access.scope("hosts:update"),
  body: HostUpdate,
  answer: data(Host),
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
  answer: data(HostV2),
  errors: updateErrors,
});

export const deleteHost = endpoint({
  method: "DELETE",
  path: "/v1/hosts/{hostID}",
  noun,
  summary: "Delete a host; its certificates are revoked",
  access: access.scope("hosts:delete"),
  answer: data(Empty),
  errors: ["ERR_HAS_DEPENDENTS"],
});

export const blockHost = endpoint({
  method: "POST",
  path: "/v1/hosts/{hostID}/block",
  noun,
  summary: "Block a host: it is cut off everywhere",
  access: access.scope("hosts:block"),
  answer: data(z.strictObject({ host: Host })),
  deprecated: true,
});

export const blockHostV2 = endpoint({
  method: "POST",
  path: "/v2/hosts/{hostID}/block",
  noun,
  summary: "Block a host: it is cut off everywhere",
  access: access.scope("hosts:block"),
  answer: data(HostV2),
});

export const unblockHost = endpoint({
  method: "POST",
  path: "/v1/hosts/{hostID}/unblock",
  noun,
  summary: "Allow a blocked host again; it has to enroll anew",
  access: access.scope("hosts:unblock"),
  answer: data(z.strictObject({ host: Host })),
  deprecated: true,
});

export const unblockHostV2 = endpoint({
  method: "POST",
  path: "/v2/hosts/{hostID}/unblock",
  noun,
  summary: "Allow a blocked host again; it has to enroll anew",
  access: access.scope("hosts:unblock"),
  answer: data(HostV2),
});

export const createEnrollmentCode = endpoint({
  method: "POST",
  path: "/v1/hosts/{hostID}/enrollment-code",
  noun,
  summary: "Make an enrollment code; an older one stops working",
  access: access.scope("hosts:enroll"),
  answer: data(EnrollmentCode),
  errors: ["ERR_HOST_BLOCKED"],
});

export const createHostAndEnrollmentCode = endpoint({
  method: "POST",
  path: "/v1/host-and-enrollment-code",
  noun,
  summary: "Create a host and its enrollment code",
  access: access.scope("hosts:create", "hosts:enroll"),
  body: HostCreate,
  answer: data(z.strictObject({ host: Host, enrollmentCode: EnrollmentCode })),
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
  answer: data(z.strictObject({ host: HostV2, enrollmentCode: EnrollmentCode })),
  errors: createErrors,
});
