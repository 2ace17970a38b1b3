import * as contract from "@lightkeeper/contract";
import type { NotificationRule } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome } from "../../infrastructure/db/audited.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { findRule, listRules, type RuleRow } from "./rules.queries.ts";
import { createRule, deleteRule, updateRule } from "./rules.service.ts";

const toRule = (row: RuleRow): NotificationRule => ({
  id: row.id,
  eventType: row.event_type,
  isEnabled: row.is_enabled,
  tags: row.tags,
  roleIDs: row.role_ids,
  thresholdMinutes: row.threshold_minutes,
  days: row.days,
  channelIDs: row.channel_ids,
  quietHours: row.quiet_hours,
  digest: row.digest,
  timeZone: row.time_zone,
  createdAt: row.created_at.toISOString(),
  modifiedAt: row.modified_at.toISOString(),
});

export function serveNotificationRules(routes: Routes, ctx: Context): void {
  routes.read(contract.listNotificationRules, async ({ actor, query }) => {
    const { rows, metadata } = await listRules(ctx.reader, actor.organization.id, query);
    return { data: rows.map(toRule), metadata };
  });

  routes.read(contract.getNotificationRule, async ({ actor, params }) => {
    const row = await findRule(ctx.reader, actor.organization.id, params.ruleID);
    if (!row) throw new ApiError("ERR_NOT_FOUND");
    return toRule(row);
  });

  routes.write(contract.createNotificationRule, async ({ actor, body, now }, tx) =>
    mapOutcome(await createRule(tx, { actor, body, now }), toRule),
  );

  routes.write(contract.updateNotificationRule, async ({ actor, params, body, now }, tx) =>
    mapOutcome(await updateRule(tx, { actor, id: params.ruleID, body, now }), toRule),
  );

  routes.write(contract.deleteNotificationRule, ({ actor, params }, tx) =>
    deleteRule(tx, { actor, id: params.ruleID }),
  );
}
