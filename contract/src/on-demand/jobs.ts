import * as z from "zod/mini";
import { DryRunQuery } from "../dry-run.ts";
import { access, data, endpoint } from "../endpoint.ts";
import { id } from "../fields.ts";
import { HostFilter } from "../host-filters.ts";
import { BrokenGuarantee } from "./access.ts";
import { TagNames } from "../tag-names.ts";
import { ID_LENGTH_MAX } from "../limits.ts";

const IDS_MAX = 10_000;

const selection = {
  ids: z.optional(
    z.array(z.string().check(z.maxLength(ID_LENGTH_MAX))).check(z.minLength(1), z.maxLength(IDS_MAX)),
  ),
  filter: z.optional(HostFilter),
};
const tags = TagNames.check(z.minLength(1));

export const HostsBulk = z
  .discriminatedUnion("action", [
    z.strictObject({ ...selection, action: z.enum(["addTags", "removeTags"]), tags }),
    z.strictObject({
      ...selection,
      action: z.literal("setRole"),
      roleID: z.nullable(z.string().check(z.maxLength(ID_LENGTH_MAX))),
    }),
    z.strictObject({ ...selection, action: z.enum(["block", "unblock", "delete"]) }),
  ])
  .check(
    z.refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
      error: "select hosts with either ids or filter",
    }),
  );
export type HostsBulk = z.output<typeof HostsBulk>;

export const jobStates = ["pending", "running", "done"] as const;

export const Job = z.strictObject({
  id: id("job"),
  state: z.enum(jobStates),
  /** Number of processed hosts, including failed ones. */
  done: z.number(),
  total: z.number(),
  /** The first failed hosts, each with its reason. */
  errors: z.array(
    z.strictObject({
      id: z.string(),
      code: z.string(),
      message: z.string(),
      /** For ERR_GUARANTEE_VIOLATED: each with a pair of hosts that breaks it. */
      guarantees: z.optional(z.array(BrokenGuarantee)),
    }),
  ),
});
export type Job = z.output<typeof Job>;

export const bulkHosts = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/hosts/bulk",
  noun: "hosts",
  summary: "Change many hosts in the background; the job shows the progress",
  access: access.scope("hosts:update", "hosts:block", "hosts:unblock", "hosts:delete"),
  query: DryRunQuery,
  body: HostsBulk,
  response: data(z.strictObject({ jobID: id("job") })),
  errors: ["ERR_INVALID_REFERENCE", "ERR_LIMIT_EXCEEDED"],
});

export const getJob = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/jobs/{jobID}",
  noun: "jobs",
  summary: "Get a job and its progress",
  access: access.scope("hosts:update"),
  response: data(Job),
});
