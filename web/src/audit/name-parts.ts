import type { AuditObject, Part } from "../references/audit-target.ts";
import { auditTargets } from "./audit-targets.ts";

/** "role Ops"; users are shown by their email address only. */
export function nameParts(object: AuditObject): Part[] {
  const { noun, isSingleton } = auditTargets[object.type];
  if (noun === undefined) return [{ object }];
  return isSingleton ? [{ object: { ...object, name: noun } }] : [`${noun} `, { object }];
}
