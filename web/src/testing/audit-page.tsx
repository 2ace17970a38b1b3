/** The audit log with sample entries. */
import {
  listAuditLogs,
  listMembers,
  listNetworksV2,
  listRoles,
  whoami,
  type AuditLog,
} from "@lightkeeper/contract";
import { screen } from "@testing-library/react";
import { AuditPage } from "../audit/audit-page.tsx";
import { ExportDialog } from "../audit/export-dialog.tsx";
import { renderRoutes } from "./render.tsx";
import { network, organization, role, user as person } from "./samples.ts";
import { page, transport, type Transport } from "./transport.ts";

export const entry = (id: string, more: Partial<AuditLog> = {}): AuditLog => ({
  id: `log-${id.padEnd(26, "A")}`,
  organizationID: organization.id,
  timestamp: "2026-11-15T08:00:00.000001Z",
  actor: { type: "user", id: person.actor.id, email: person.actor.email },
  target: { type: "role", id: role.id },
  event: { type: "CREATED", before: null, after: { name: "Database" } },
  accessDiff: null,
  actorAddress: "192.0.2.7",
  actorName: person.actor.email,
  targetName: "Database",
  ...more,
});

const ssh = {
  protocol: "TCP",
  portRange: { from: 22, to: 22 },
  allowedRoleID: role.id,
  allowedTags: [],
  description: "",
};
export const ruleAdded = entry("A", {
  event: { type: "UPDATED", before: { firewallRules: [] }, after: { firewallRules: [ssh] } },
});
export const hostDeleted = entry("B", {
  timestamp: "2026-11-14T08:00:00.000001Z",
  actor: { type: "apiKey", id: "lkkey-A", name: "terraform" },
  actorName: "terraform",
  accessDiff: null,
  actorAddress: null,
  target: { type: "host", id: "host-gone" },
  targetName: null,
  event: { type: "DELETED", before: { name: "web-9" }, after: null },
});

export const serveEntries = (...entries: AuditLog[]): Transport =>
  transport()
    .on(whoami, () => person)
    .on(listRoles, () => page([role]))
    .on(listNetworksV2, () => page([network]))
    .on(listMembers, () => page([]))
    .on(listAuditLogs, () => page(entries));

export const openLog = (at: string | string[] = "/logs/audit") =>
  renderRoutes(
    [
      {
        path: "/logs/audit",
        element: <AuditPage />,
        children: [{ path: "export", element: <ExportDialog /> }],
      },
      { path: "*", element: <p>Elsewhere</p> },
    ],
    at,
  );
export const findSentence = async (text: RegExp) => (await screen.findByText(text)).closest("li")!;
