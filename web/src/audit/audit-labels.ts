import { auditTargetTypes, type AuditActor, type AuditEventType } from "@lightkeeper/contract";
import { auditTargets } from "./audit-targets.ts";

/** The labels of the filters. */
export const eventNames: Readonly<Record<AuditEventType, string>> = {
  CREATED: "Added",
  UPDATED: "Changed",
  DELETED: "Deleted",
  CREATED_TOTP: "Added an authenticator",
  DELETED_TOTP: "Deleted an authenticator",
  SUCCEEDED_AUTH: "Logged in",
  FAILED_AUTH: "Failed to log in",
  CREATED_LOGIN_LINK: "Created a login link",
  CREATED_RECOVERY_CODES: "Generated recovery codes",
  ENROLLED: "Enrolled",
  RENEWED: "Renewed a certificate",
  CREATED_ENROLL_CODE: "Created an enrollment code",
  SET_NETWORK_CA: "Changed a network’s CA",
  BLOCKED_HOST: "Blocked a host",
  UNBLOCKED_HOST: "Unblocked a host",
  SET_OVERRIDES: "Changed a host’s settings",
  REJECTED_CHANGE: "Rejected a change",
  STARTED_FAILING: "Guarantee started failing",
  STOPPED_FAILING: "Guarantee stopped failing",
};

export const targetNames: Readonly<Record<string, string>> = Object.fromEntries(
  auditTargetTypes.map((type) => [type, auditTargets[type].label]),
);

export const actorKindNames: Readonly<Record<Exclude<AuditActor["type"], "user" | "oidcUser">, string>> = {
  apiKey: "API keys",
  host: "Hosts",
  system: "Lightkeeper (system)",
  support: "Support",
};
