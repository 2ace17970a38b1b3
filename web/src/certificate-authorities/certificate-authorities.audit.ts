import type { AuditTarget } from "../references/audit-target.ts";

export const ca: AuditTarget = {
  label: "Certificate authorities",
  noun: "certificate authority",
  updated: (_entry, { after }, objectParts) => {
    switch (after?.state) {
      case "SIGNING":
        return ["made ", ...objectParts, " the signing CA"];
      case "TRUSTED":
        return ["stopped signing with ", ...objectParts];
      case "RETIRED":
        return ["stopped trusting ", ...objectParts];
      default:
        return undefined;
    }
  },
};
