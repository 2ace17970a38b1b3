import * as z from "zod/mini";
import { access, data, endpoint, list } from "./endpoint.ts";
import { id, instant, pageQuery } from "./fields.ts";

export const auditTargetTypes = [
  "apiKey",
  "ca",
  "host",
  "network",
  "oidcProvider",
  "role",
  "user",
  "route",
  "tag",
  "totp",
  "billing",
  "organization",
] as const;
export type AuditTargetType = (typeof auditTargetTypes)[number];

export const auditEventTypes = [
  "CREATED",
  "UPDATED",
  "DELETED",
  "CREATED_TOTP",
  "DELETED_TOTP",
  "SUCCEEDED_AUTH",
  "FAILED_AUTH",
  "ENROLLED",
  "RENEWED",
  "CREATED_ENROLL_CODE",
  "SET_NETWORK_CA",
  "BLOCKED_HOST",
  "UNBLOCKED_HOST",
  "SET_OVERRIDES",
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

export const AuditLog = z.strictObject({
  id: id("log"),
  organizationID: id("org"),
  timestamp: instant(),
  actor: AuditActor,
  target: z.strictObject({ type: z.enum(auditTargetTypes), id: z.string() }),
  event: z.strictObject({ type: z.enum(auditEventTypes), before: Snapshot, after: Snapshot }),
});
export type AuditLog = z.output<typeof AuditLog>;

const noun = "audit-logs";

export const listAuditLogs = endpoint({
  method: "GET",
  path: "/v1/audit-logs",
  noun,
  summary: "List audit logs, newest first",
  access: access.scope("audit-logs:list"),
  query: z.strictObject({
    cursor: pageQuery.cursor,
    pageSize: pageQuery.pageSize,
    "filter.targetID": z.optional(z.string().check(z.maxLength(255))),
    "filter.targetType": z.optional(z.enum(auditTargetTypes)),
  }),
  answer: list(AuditLog),
});

export const verifyAuditLogs = endpoint({
  method: "GET",
  path: "/v1/audit-logs/verify",
  noun,
  summary: "Prove that the audit log is complete and unchanged",
  access: access.session,
  answer: data(
    z.discriminatedUnion("ok", [
      z.strictObject({ ok: z.literal(true), entries: z.number(), head: z.nullable(z.string()) }),
      z.strictObject({ ok: z.literal(false), firstBroken: z.string() }),
    ]),
  ),
});
