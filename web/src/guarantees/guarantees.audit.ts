import { isRecord, textOf } from "../references/audit-snapshots.ts";
import type { AuditTarget, EntryDescriber } from "../references/audit-target.ts";
import { guaranteePath } from "../references/guarantee-link.ts";

const hasSuspension = (snapshot: Readonly<Record<string, unknown>> | undefined) =>
  isRecord(snapshot?.suspension);

/** Suspending and resuming are updates of the suspension. The server ends a suspension at its date. */
const describeSuspension: EntryDescriber = ({ actor }, { before, after }, objectParts) => {
  const suspension = after?.suspension;
  if (isRecord(suspension) && !hasSuspension(before)) {
    const reason = textOf(suspension.reason);
    return ["suspended ", ...objectParts, ...(reason === undefined ? [] : [`: “${reason}”`])];
  }
  if (hasSuspension(before) && !hasSuspension(after))
    return [actor.type === "system" ? "ended the suspension of " : "resumed ", ...objectParts];
  return undefined;
};

export const guarantee: AuditTarget = {
  label: "Guarantees",
  noun: "guarantee",
  nameField: "description",
  unnamed: "without a description",
  path: guaranteePath,
  fields: {
    type: { label: "requirement" },
    portRange: { label: "ports" },
    failingSince: { label: "state" },
  },
  updated: describeSuspension,
};
