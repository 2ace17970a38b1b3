import * as z from "zod/mini";
import { DryRunQuery } from "./dry-run.ts";
import { access, data, endpoint, list } from "./endpoint.ts";
import { Empty } from "./fields.ts";
import { HostsQuery } from "./host-filters.ts";
import {
  Host,
  HostCreate,
  HostUpdate,
  HostV2,
  HostV2Create,
  HostV2CreateWithCode,
  HostV2Update,
} from "./host-schemas.ts";

const noun = "hosts";

const EnrollmentCode = z.strictObject({ code: z.string(), lifetimeSeconds: z.number() });

const createErrors = [
  "ERR_DUPLICATE_VALUE",
  "ERR_INVALID_REFERENCE",
  "ERR_NETWORK_FULLY_ALLOCATED",
  "ERR_CERT_VERSION_2_INCOMPATIBLE",
  "ERR_LIMIT_EXCEEDED",
] as const;
const updateErrors = ["ERR_DUPLICATE_VALUE", "ERR_INVALID_REFERENCE"] as const;
/** For the deprecated shape of one host. A list shows the first address of each host. */
const v1Errors = ["ERR_CERT_VERSION_2_INCOMPATIBLE"] as const;

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
  query: DryRunQuery,
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
  query: DryRunQuery,
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
  errors: v1Errors,
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
  query: DryRunQuery,
  body: HostUpdate,
  response: data(Host),
  errors: [...updateErrors, ...v1Errors],
  deprecated: true,
});

export const updateHostV3 = endpoint({
  method: "PUT",
  path: "/v3/hosts/{hostID}",
  noun,
  summary: "Replace a host's editable properties",
  access: access.scope("hosts:update"),
  query: DryRunQuery,
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
  query: DryRunQuery,
  response: data(Empty),
  errors: ["ERR_HAS_DEPENDENTS"],
});

export const blockHost = endpoint({
  method: "POST",
  path: "/v1/hosts/{hostID}/block",
  noun,
  summary: "Block a host: its certificate is revoked and it's disconnected immediately",
  access: access.scope("hosts:block"),
  query: DryRunQuery,
  response: data(z.strictObject({ host: Host })),
  errors: v1Errors,
  deprecated: true,
});

export const blockHostV2 = endpoint({
  method: "POST",
  path: "/v2/hosts/{hostID}/block",
  noun,
  summary: "Block a host: its certificate is revoked and it's disconnected immediately",
  access: access.scope("hosts:block"),
  query: DryRunQuery,
  response: data(HostV2),
});

export const unblockHost = endpoint({
  method: "POST",
  path: "/v1/hosts/{hostID}/unblock",
  noun,
  summary: "Unblock a host; it must enroll again",
  access: access.scope("hosts:unblock"),
  query: DryRunQuery,
  response: data(z.strictObject({ host: Host })),
  errors: v1Errors,
  deprecated: true,
});

export const unblockHostV2 = endpoint({
  method: "POST",
  path: "/v2/hosts/{hostID}/unblock",
  noun,
  summary: "Unblock a host; it must enroll again",
  access: access.scope("hosts:unblock"),
  query: DryRunQuery,
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
  query: DryRunQuery,
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
  query: DryRunQuery,
  body: HostV2CreateWithCode,
  response: data(z.strictObject({ host: HostV2, enrollmentCode: EnrollmentCode })),
  errors: createErrors,
});
