import { describeAddedOrRemoved } from "../references/audit-changes.ts";
import { isRecord } from "../references/audit-snapshots.ts";
import type { AuditTarget } from "../references/audit-target.ts";
import { routePath } from "../references/route-link.tsx";

const keysOf = (value: unknown) => (isRecord(value) ? Object.keys(value) : []);

export const route: AuditTarget = {
  label: "Routes",
  noun: "route",
  path: routePath,
  fields: {
    routerHostID: { label: "router" },
    routableCIDRs: { label: "subnets", describe: describeAddedOrRemoved(keysOf) },
    acceptWiderRules: { label: "wider rules" },
  },
};
