/** How lists of hosts are filtered and sorted. */
import * as z from "zod/mini";
import type { Schema } from "./endpoint.ts";
import { extension, filterQuery, id, pageQuery, query, searchQuery, sortQuery } from "./fields.ts";
import { StoredTagNames } from "./tag-names.ts";

export const hostStatuses = ["online", "offline", "neverEnrolled", "blocked", "expiring", "drifted"] as const;
export type HostStatus = (typeof hostStatuses)[number];

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

export const HostsQuery = z.strictObject({
  ...pageQuery,
  ...sortQuery(hostSorts),
  ...filterQuery(filters(query.flag())),
});
