import * as contract from "@lightkeeper/contract";
import type { AuditLog } from "@lightkeeper/contract";
import type { Context } from "../context.ts";
import type { Routes } from "../http/route.ts";
import { type AuditRow, listAuditLogs } from "./audit.queries.ts";
import { verifyChain } from "./verify.ts";

const toAuditLog = (row: AuditRow): AuditLog => ({
  id: row.id,
  organizationID: row.organization_id,
  timestamp: row.timestamp,
  actor: row.actor,
  target: { type: row.target_type, id: row.target_id },
  event: {
    type: row.event_type,
    before: row.before as AuditLog["event"]["before"],
    after: row.after as AuditLog["event"]["after"],
  },
});

export function serveAuditLogs(routes: Routes, ctx: Context): void {
  routes.read(contract.listAuditLogs, async ({ actor, query }) => {
    const filter = { targetID: query["filter.targetID"], targetType: query["filter.targetType"] };
    const { rows, metadata } = await listAuditLogs(ctx.reader, actor.organization.id, filter, query);
    return { data: rows.map(toAuditLog), metadata };
  });

  routes.read(contract.verifyAuditLogs, ({ person }) => verifyChain(ctx.reader, person.organization.id));
}
