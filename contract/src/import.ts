import * as z from "zod/mini";
import { DryRunQuery } from "./dry-run.ts";
import { access, data, endpoint } from "./endpoint.ts";
import { token } from "./fields.ts";

const noun = "import";
const CONTENT_LENGTH_MAX = 1_000_000;

export const importKinds = ["host", "role", "tag"] as const;
const kind = z.enum(importKinds);

/** The position in the request, such as `line 4` or `hosts[3]`. */
const place = z.string();

export const ImportPlan = z.strictObject({
  planToken: z.string(),
  create: z.array(z.strictObject({ place, kind, name: z.string(), network: z.optional(z.string()) })),
  change: z.array(
    z.strictObject({
      place,
      kind,
      name: z.string(),
      network: z.optional(z.string()),
      id: z.string(),
      /** The properties that will change. */
      properties: z.array(z.string()),
    }),
  ),
  reject: z.array(
    z.strictObject({
      place,
      code: z.string(),
      message: z.string(),
      path: z.optional(z.string()),
    }),
  ),
  /** Number of objects that don't change. */
  unchanged: z.number(),
});
export type ImportPlan = z.output<typeof ImportPlan>;

const scopes = access.scope(
  "hosts:create",
  "hosts:update",
  "roles:create",
  "roles:update",
  "tags:create",
  "tags:update",
);

export const planImport = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/import",
  noun,
  summary: "Plan an import of hosts, roles and tags without changing anything",
  access: scopes,
  body: z.strictObject({
    format: z.enum(["csv", "yaml"]),
    content: z.string().check(z.maxLength(CONTENT_LENGTH_MAX)),
  }),
  response: data(ImportPlan),
  errors: ["ERR_LIMIT_EXCEEDED", "ERR_TOO_MANY_REQUESTS"],
});

export const applyImport = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/import/apply",
  noun,
  summary: "Apply a plan completely or not at all; fails if the plan is outdated",
  access: scopes,
  query: DryRunQuery,
  body: z.strictObject({ planToken: token() }),
  response: data(z.strictObject({ created: z.number(), changed: z.number() })),
  errors: ["ERR_LIMIT_EXCEEDED"],
});
