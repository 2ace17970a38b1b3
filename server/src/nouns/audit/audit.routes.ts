import type { AuditRow } from "../../infrastructure/audit-chain/entries.ts";
import { Readable } from "node:stream";
import * as contract from "@lightkeeper/contract";
import type { AuditLog, AuditTimeFrame } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { countAuditLogs, findHead, listAuditLogs } from "./audit.queries.ts";
import { exportChain, exportCsv } from "./export.ts";
import { findNames } from "./names.queries.ts";
import { verifyChain } from "./verify.ts";
import { HOUR_MS } from "../../infrastructure/time/durations.ts";

type Names = ReadonlyMap<string, string>;

/** People who use single sign-on are identified by their email address, not by an ID. */
const actorIDOf = ({ actor }: AuditRow) => ("id" in actor ? actor.id : undefined);

const toAuditLog = (row: AuditRow, names: Names): AuditLog => ({
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
  accessDiff: row.access_diff,
  actorAddress: row.actor_address,
  actorName: names.get(actorIDOf(row) ?? "") ?? null,
  targetName: names.get(row.target_id) ?? null,
});

const hoursByTimeFrame: Record<AuditTimeFrame, number> = {
  "24h": 24,
  "7d": 7 * 24,
  "30d": 30 * 24,
  "90d": 90 * 24,
  all: Infinity,
};

function startOf(timeFrame: AuditTimeFrame, now: Date): Date | undefined {
  return timeFrame === "all" ? undefined : new Date(now.getTime() - hoursByTimeFrame[timeFrame] * HOUR_MS);
}

const toDate = (instant: string | undefined) => (instant === undefined ? undefined : new Date(instant));

export function serveAuditLogs(routes: Routes, ctx: Context, shutdown: AbortSignal): void {
  routes.read(contract.listAuditLogs, async ({ actor, query }) => {
    const filter = {
      targetID: query["filter.targetID"],
      targetType: query["filter.targetType"],
      actor: query["filter.actor"],
      action: query["filter.action"],
      from: toDate(query["filter.from"]),
      to: toDate(query["filter.to"]),
    };
    const organizationID = actor.organization.id;
    const { rows, metadata } = await listAuditLogs(ctx.reader, organizationID, filter, query);
    const ids = rows.flatMap((row) => [row.target_id, actorIDOf(row) ?? []].flat());
    const names = await findNames(ctx.reader, organizationID, ids);
    return { data: rows.map((row) => toAuditLog(row, names)), metadata };
  });

  routes.stream(contract.verifyAuditLogs, ({ person }, _request, { raw }) => {
    const disconnected = new AbortController();
    raw.once("close", () => disconnected.abort());
    return verifyChain(ctx.reader, person.organization.id, disconnected.signal);
  });

  serveExport(routes, ctx, shutdown);
}

function serveExport(routes: Routes, { reader }: Context, shutdown: AbortSignal): void {
  routes.stream(contract.exportAuditLogs, async ({ person, query, now }, request, reply) => {
    const organizationID = person.organization.id;
    const startExport = async () => {
      if (query.format === "ndjson") {
        const head = await findHead(reader, organizationID);
        return { count: head?.sequence ?? 0, text: exportChain(reader, organizationID, head) };
      }
      const { targetType, targetId: targetID, timeFrame } = query;
      const filter = { targetType, targetID, from: startOf(timeFrame, now) };
      const count = await countAuditLogs(reader, organizationID, filter);
      return { count, text: exportCsv(reader, organizationID, filter) };
    };
    const { count, text } = await startExport();
    const fileName = `audit-log-${now.toISOString().slice(0, 10)}.${query.format}`;
    // A HEAD request must not read the whole log.
    const stream = Readable.from(request.method === "HEAD" ? [] : text, { signal: shutdown });
    void reply
      .headers({
        "content-type": query.format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
        "content-disposition": `attachment; filename="${fileName}"`,
        "cache-control": "no-store",
        [contract.EXPORT_COUNT_HEADER]: String(count),
      })
      .send(stream);
  });
}
