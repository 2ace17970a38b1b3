/** Hosts as the API returns and accepts them. */
import * as z from "zod/mini";
import { ConfigOverride, ConfigOverrides } from "./config-overrides.ts";
import { DAY_SECONDS, MINUTE_SECONDS } from "./durations.ts";
import { extension, id, instant, multilineText, replacement, text } from "./fields.ts";
import {
  DESCRIPTION_LENGTH_MAX,
  ID_LENGTH_MAX,
  LONG_NAME_LENGTH_MAX,
  OWNER_LENGTH_MAX,
  PORT_MAX,
  STATIC_ADDRESSES_MAX,
} from "./limits.ts";
import { hostStatuses } from "./host-filters.ts";
import { TagNames } from "./tag-names.ts";

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
  description: extension(z.string()),
  /** The person or team that is responsible for the host. */
  owner: extension(z.string()),
};
/** The deprecated shape, with one address. */
export const Host = z.strictObject({ ...common, ipAddress: z.string() });
export type Host = z.output<typeof Host>;
export const HostV2 = z.strictObject({ ...common, ipAddresses: z.array(z.string()) });
export type HostV2 = z.output<typeof HostV2>;

const name = text(1, LONG_NAME_LENGTH_MAX);
const address = z.string().check(z.maxLength(64));
const roleID = z._default(z.optional(z.nullable(z.string().check(z.maxLength(ID_LENGTH_MAX)))), null);
const staticAddresses = z._default(
  z.optional(z.array(z.string().check(z.maxLength(255))).check(z.maxLength(STATIC_ADDRESSES_MAX))),
  [],
);
const LISTEN_PORT_MESSAGE = `must be between 0 and ${PORT_MAX}`;
const listenPort = z._default(
  z.optional(z.int().check(z.minimum(0, LISTEN_PORT_MESSAGE), z.maximum(PORT_MAX, LISTEN_PORT_MESSAGE))),
  0,
);

const description = multilineText(0, DESCRIPTION_LENGTH_MAX);
const owner = text(0, OWNER_LENGTH_MAX);

const creatable = {
  name,
  networkID: z.string().check(z.maxLength(ID_LENGTH_MAX)),
  roleID,
  staticAddresses,
  listenPort,
  isLighthouse: z._default(z.optional(z.boolean()), false),
  isRelay: z._default(z.optional(z.boolean()), false),
  tags: z._default(z.optional(TagNames), []),
  configOverrides: z._default(z.optional(ConfigOverrides), []),
  description: extension(z._default(z.optional(description), "")),
  owner: extension(z._default(z.optional(owner), "")),
};
const v1Address = { ipAddress: z.optional(address) };
/** Addresses to assign, or prefixes to assign one from. */
const v2Addresses = { ipAddresses: z.optional(z.array(address).check(z.maxLength(2))) };
const CODE_LIFETIME_DAYS_MAX = 30;
const codeLifetime = {
  codeLifetimeSeconds: z._default(
    z.optional(z.int().check(z.minimum(MINUTE_SECONDS), z.maximum(CODE_LIFETIME_DAYS_MAX * DAY_SECONDS))),
    DAY_SECONDS,
  ),
};

export const HostCreate = z.strictObject({ ...creatable, ...v1Address });
export const HostV2Create = z.strictObject({ ...creatable, ...v2Addresses });
export const HostV2CreateWithCode = z.strictObject({ ...creatable, ...v2Addresses, ...codeLifetime });
export type HostV2CreateInput = z.input<typeof HostV2Create>;

/** Name, tags, overrides, description and owner keep their values if missing. */
const updatable = {
  name: z.optional(name),
  roleID,
  staticAddresses,
  listenPort,
  tags: z.optional(TagNames),
  configOverrides: z.optional(ConfigOverrides),
  description: extension(z.optional(description)),
  owner: extension(z.optional(owner)),
};
export const HostUpdate = replacement(updatable, Host);
export const HostV2Update = replacement(updatable, HostV2);
