import type { AuditTarget } from "../references/audit-target.ts";
import { tagPath } from "../references/tag-link.tsx";

export const tag: AuditTarget = {
  label: "Tags",
  noun: "tag",
  isNamedByID: true,
  path: tagPath,
  fields: {
    priority: { describe: (_before, _after, objectParts) => ["changed the priority of ", ...objectParts] },
    routeSubscriptions: { label: "route subscriptions" },
  },
};
