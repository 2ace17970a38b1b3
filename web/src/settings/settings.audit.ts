import { describePlanChange } from "../references/audit-changes.ts";
import { textOf } from "../references/audit-snapshots.ts";
import { isActorItself, type AuditEntry, type AuditTarget } from "../references/audit-target.ts";

/** Single sign-on users can't remove other members, so they must have left themselves. */
const isOwnMembership = ({ actor, target }: AuditEntry) =>
  actor.type === "oidcUser" || (actor.type === "user" && actor.id === target.id);

/** Members are shown by their email address only. */
export const user: AuditTarget = {
  label: "Members",
  noun: undefined,
  path: () => "/settings/members",
  created: (entry, snapshots, objectParts) => {
    const role = textOf(snapshots.known.role);
    const as = role === undefined ? "" : ` as ${role}`;
    return isActorItself(entry, snapshots) ? [`joined${as}`] : ["invited ", ...objectParts, as];
  },
  updated: (_entry, { before, after }, objectParts) => {
    if (before?.removed === true && after?.removed === false) return ["readmitted ", ...objectParts];
    const role = textOf(after?.role);
    return role !== undefined && before?.role !== role
      ? ["changed the role of ", ...objectParts, ` to ${role}`]
      : undefined;
  },
  deleted: (entry, { before }, objectParts) => {
    const isInvitation = before?.invited === true;
    if (isOwnMembership(entry)) return [isInvitation ? "declined the invitation" : "left the organization"];
    return [isInvitation ? "withdrew the invitation of " : "removed ", ...objectParts];
  },
};

export const totp: AuditTarget = { label: "Authenticators", noun: "authenticator" };

export const organization: AuditTarget = {
  label: "Organization",
  noun: "the organization",
  isSingleton: true,
  path: () => "/settings/organization",
  created: () => ["created the organization"],
  updated: describePlanChange,
};
