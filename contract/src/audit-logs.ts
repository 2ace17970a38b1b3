import * as z from "zod/mini";
import { access, data, endpoint, list, raw } from "./endpoint.ts";
import { auditTargetTypes } from "./nouns.ts";
import { extension, filterQuery, id, instant, pageQuery } from "./fields.ts";
import { TARGET_ID_LENGTH_MAX } from "./limits.ts";

export const auditEventTypes = [
  "CREATED",
  "UPDATED",
  "DELETED",
  "CREATED_TOTP",
  "DELETED_TOTP",
  "SUCCEEDED_AUTH",
  "FAILED_AUTH",
  "CREATED_LOGIN_LINK",
  "CREATED_RECOVERY_CODES",
  "ENROLLED",
  "RENEWED",
  "CREATED_ENROLL_CODE",
  "SET_NETWORK_CA",
  "BLOCKED_HOST",
  "UNBLOCKED_HOST",
  "SET_OVERRIDES",
  "REJECTED_CHANGE",
  "STARTED_FAILING",
  "STOPPED_FAILING",
] as const;
export type AuditEventType = (typeof auditEventTypes)[number];

export const AuditActor = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("user"), id: z.string(), email: z.string() }),
  z.strictObject({
    type: z.literal("oidcUser"),
    email: z.string(),
    issuer: z.string(),
    subject: z.string(),
  }),
  z.strictObject({ type: z.literal("apiKey"), id: z.string(), name: z.nullable(z.string()) }),
  z.strictObject({ type: z.literal("host"), id: z.string(), name: z.nullable(z.string()) }),
  z.strictObject({ type: z.literal("support") }),
  z.strictObject({ type: z.literal("system") }),
]);
export type AuditActor = z.output<typeof AuditActor>;

const Snapshot = z.nullable(z.union([z.record(z.string(), z.unknown()), z.string()]));

export const AccessDiffSummary = z.strictObject({
  id: id("diff"),
  /** Pairs of hosts. */
  openedPairCount: z.number(),
  closedPairCount: z.number(),
  /** Hosts that get a new configuration. */
  affectedHostCount: z.number(),
  /** The number of entries that were written together, which the counts are about. */
  entryCount: z.number(),
});
export type AccessDiffSummary = z.output<typeof AccessDiffSummary>;

export const AuditLog = z.strictObject({
  id: id("log"),
  organizationID: id("org"),
  timestamp: instant(),
  actor: AuditActor,
  target: z.strictObject({ type: z.enum(auditTargetTypes), id: z.string() }),
  event: z.strictObject({ type: z.enum(auditEventTypes), before: Snapshot, after: Snapshot }),
  /** What the change opened and closed; null if it didn't affect access. */
  accessDiff: extension(z.nullable(AccessDiffSummary)),
  /** The actor's IP address; null if unknown. */
  actorAddress: extension(z.nullable(z.string())),
  /** The current names of the actor and the target; null if deleted. */
  actorName: extension(z.nullable(z.string())),
  targetName: extension(z.nullable(z.string())),
});
export type AuditLog = z.output<typeof AuditLog>;

/** Types of actors without an email address, which can be used as a filter. */
export const auditActorKinds = ["apiKey", "host", "system", "support"] as const;

const noun = "audit-logs";
const targetID = z.optional(z.string().check(z.maxLength(TARGET_ID_LENGTH_MAX)));
const targetType = z.optional(z.enum(auditTargetTypes));

export const listAuditLogs = endpoint({
  method: "GET",
  path: "/v1/audit-logs",
  noun,
  summary: "List audit logs, newest first",
  access: access.scope("audit-logs:list"),
  query: z.strictObject({
    ...pageQuery,
    ...filterQuery({
      targetID,
      targetType,
      /** An ID, an email address, or one of `auditActorKinds`. */
      actor: extension(z.optional(z.string().check(z.maxLength(255)))),
      action: extension(z.optional(z.enum(auditEventTypes))),
      from: extension(z.optional(instant())),
      /** Exclusive. */
      to: extension(z.optional(instant())),
    }),
  }),
  response: list(AuditLog),
});

export const auditTimeFrames = ["24h", "7d", "30d", "90d", "all"] as const;
export type AuditTimeFrame = (typeof auditTimeFrames)[number];

/** The number of entries in an export, for progress bars. */
export const EXPORT_COUNT_HEADER = "x-total-count";

interface ExportQuery {
  targetType?: string | undefined;
  targetId?: string | undefined;
  timeFrame: AuditTimeFrame;
  format: "csv" | "ndjson";
}
const notWithNdjson = (path: "targetType" | "targetId" | "timeFrame") =>
  z.refine<ExportQuery>(
    (query) => query.format === "csv" || query[path] === undefined || query[path] === "all",
    { error: "can't be used with ndjson, which exports the whole chain", path: [path] },
  );

/** `ndjson` exports the whole hash chain for offline verification, so it can't be filtered. */
export const exportAuditLogs = endpoint({
  method: "GET",
  path: "/v1/audit-logs/export",
  noun,
  summary: "Export audit logs as CSV, newest first, or the whole chain as newline-delimited JSON",
  access: access.session,
  query: z
    .strictObject({
      targetType,
      targetId: targetID,
      timeFrame: z._default(z.optional(z.enum(auditTimeFrames)), "all"),
      format: z._default(z.optional(z.enum(["csv", "ndjson"])), "csv"),
    })
    .check(notWithNdjson("targetType"), notWithNdjson("targetId"), notWithNdjson("timeFrame")),
  response: raw("text/csv"),
});

export const verifyAuditLogs = endpoint({
  method: "GET",
  path: "/v1/audit-logs/verify",
  noun,
  summary: "Verify that the audit log is complete and unchanged",
  access: access.session,
  response: data(
    z.discriminatedUnion("ok", [
      z.strictObject({ ok: z.literal(true), entries: z.number(), head: z.nullable(z.string()) }),
      z.strictObject({ ok: z.literal(false), firstBroken: z.string() }),
    ]),
  ),
});
