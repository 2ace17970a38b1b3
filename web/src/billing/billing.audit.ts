import { describePlanChange } from "../references/audit-changes.ts";
import type { AuditTarget } from "../references/audit-target.ts";
import { BILLING_PATH } from "./billing-paths.ts";

export const billing: AuditTarget = {
  label: "Billing",
  noun: "billing",
  isSingleton: true,
  path: () => BILLING_PATH,
  updated: describePlanChange,
};
