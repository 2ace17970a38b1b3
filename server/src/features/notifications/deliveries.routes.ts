import * as contract from "@lightkeeper/contract";
import type { NotificationDelivery } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { MailContent } from "../../infrastructure/db/work-tables.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Actor } from "../../infrastructure/http/actor.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { isBatch } from "./attempt-delivery.ts";
import { readBatch } from "./audit-stream.ts";
import { findChannel, findDelivery, listDeliveries } from "./deliveries.queries.ts";
import { queueTest, resendDelivery } from "./deliveries.service.ts";
import type { DeliveryRow } from "./insert-delivery.ts";

/** In 15 minutes, so that nobody uses the server to send mail in masses. */
const REQUESTS_MAX = 200;

const toDelivery = (row: DeliveryRow): NotificationDelivery => ({
  id: row.id,
  channelID: row.channel_id,
  ruleID: row.rule_id,
  type: row.type,
  title: row.title,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.created_at.toISOString(),
  nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
  finishedAt: row.finished_at?.toISOString() ?? null,
  status: row.response?.status ?? null,
});

function mailText(body: string): string {
  const { subject, lines } = JSON.parse(body) as MailContent;
  return [`Subject: ${subject}`, ...lines].join("\n\n");
}

export function serveNotificationDeliveries(routes: Routes, ctx: Context, wake: () => void): void {
  serveReads(routes, ctx);
  serveWrites(routes, ctx, wake);
}

async function requireChannel({ reader }: Context, organizationID: string, id: string) {
  const channel = await findChannel(reader, organizationID, id);
  if (!channel) throw new ApiError("ERR_NOT_FOUND");
  return channel;
}

function serveReads(routes: Routes, ctx: Context): void {
  routes.read(contract.listNotificationDeliveries, async ({ actor, params, query }) => {
    const organizationID = actor.organization.id;
    const { id: channelID } = await requireChannel(ctx, organizationID, params.channelID);
    const filter = { channelID, state: query["filter.state"] };
    const { rows, metadata } = await listDeliveries(ctx.reader, organizationID, filter, query);
    return { data: rows.map(toDelivery), metadata };
  });

  routes.read(contract.getNotificationDelivery, async ({ actor, params }) => {
    const organizationID = actor.organization.id;
    const row = await findDelivery(ctx.reader, organizationID, params.deliveryID);
    if (!row) throw new ApiError("ERR_NOT_FOUND");
    const { type } = await requireChannel(ctx, organizationID, row.channel_id);
    const body = isBatch(row) ? await readBatch(ctx.reader, row) : (row.body ?? "");
    return {
      ...toDelivery(row),
      request: { headers: row.request_headers, body: type === "EMAIL" ? mailText(body) : body },
      response: type === "EMAIL" ? null : row.response,
    };
  });
}

function serveWrites(routes: Routes, ctx: Context, wake: () => void): void {
  const limits = ({ actor }: { actor: Actor }) => [
    { name: "notifications:org", subject: actor.organization.id, max: REQUESTS_MAX },
  ];

  routes.writeUnaudited(
    contract.testNotificationChannel,
    async ({ actor, params, now }) => {
      const organizationID = actor.organization.id;
      const channel = await requireChannel(ctx, organizationID, params.channelID);
      const row = await queueTest(ctx, { organizationID, channel, now });
      wake();
      return toDelivery(row);
    },
    { limits },
  );

  routes.writeUnaudited(
    contract.resendNotificationDelivery,
    async ({ actor, params, now }) => {
      const organizationID = actor.organization.id;
      const row = await resendDelivery(ctx, { organizationID, id: params.deliveryID, now });
      if (!row) throw new ApiError("ERR_NOT_FOUND");
      wake();
      return toDelivery(row);
    },
    { limits },
  );
}
