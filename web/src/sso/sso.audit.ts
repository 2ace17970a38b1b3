import { describeRemoval } from "../references/audit-changes.ts";
import type { AuditTarget } from "../references/audit-target.ts";

export const oidcProvider: AuditTarget = {
  label: "Single sign-on",
  noun: "single sign-on",
  isSingleton: true,
  path: () => "/settings/sso",
  fields: {
    issuerURL: { label: "issuer" },
    clientID: { label: "client" },
    allowedDomains: { label: "allowed domains" },
    requiredClaim: { label: "required claim" },
    auditorClaim: { label: "auditor claim" },
  },
  created: (_entry, _snapshots, objectParts) => ["set up ", ...objectParts],
  deleted: describeRemoval,
};

export const domain: AuditTarget = {
  label: "Domains",
  noun: "domain",
  isNamedByID: true,
  updated: (_entry, { after }, objectParts) =>
    after?.isVerified === true ? ["verified ", ...objectParts] : undefined,
  deleted: describeRemoval,
};

export const deviceRequest: AuditTarget = {
  label: "Device requests",
  noun: "the device of",
  created: () => ["requested approval of a device"],
  updated: (_entry, _snapshots, objectParts) => ["approved ", ...objectParts],
  deleted: (_entry, _snapshots, objectParts) => ["rejected ", ...objectParts],
};
