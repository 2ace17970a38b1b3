/** Audit entries, and their sentences as text. */
import type { AuditActor, AuditLog } from "@lightkeeper/contract";
import type { Part } from "../references/audit-target.ts";

export const ID = "A".repeat(26);
export const ada: AuditActor = { type: "user", id: `user-${ID}`, email: "ada@example.com" };

export const entry = (
  target: AuditLog["target"]["type"],
  event: AuditLog["event"]["type"],
  [before, after]: [AuditLog["event"]["before"], AuditLog["event"]["after"]] = [null, null],
  more: Partial<AuditLog> = {},
): AuditLog => ({
  id: `log-${ID}`,
  organizationID: `org-${ID}`,
  timestamp: "2026-11-15T08:00:00.000001Z",
  actor: ada,
  target: { type: target, id: `${target}-${ID}` },
  event: { type: event, before, after },
  accessDiff: null,
  actorAddress: null,
  actorName: null,
  targetName: "Thing",
  ...more,
});

const knownNames: Readonly<Record<string, string>> = { "role-ops": "Ops", [`network-${ID}`]: "Production" };
export const toText = (parts: readonly Part[]) =>
  parts
    .map((part) => {
      if (typeof part === "string") return part;
      if ("strong" in part) return part.strong;
      return part.object.name ?? knownNames[part.object.id] ?? part.object.id;
    })
    .join("");
