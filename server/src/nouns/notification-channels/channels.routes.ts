import * as contract from "@lightkeeper/contract";
import type { NotificationChannel } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome } from "../../infrastructure/db/audited.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { maskUrl, openUrl } from "./channel-secrets.ts";
import { type ChannelRow, type ChannelState, findChannel, listChannels } from "./channels.queries.ts";
import {
  createChannel,
  deleteChannel,
  type RemoveFromRules,
  rotateSecret,
  updateChannel,
} from "./channels.service.ts";

const noState: ChannelState = {
  failing_since: null,
  audit_sequence: null,
  last_id: null,
  last_state: null,
  last_created_at: null,
};

const presenter =
  ({ secrets }: Context) =>
  (row: ChannelRow, state: ChannelState, now: Date): NotificationChannel => ({
    id: row.id,
    type: row.type,
    name: row.name,
    isEnabled: row.is_enabled,
    addresses: row.addresses,
    url: maskUrl(row.type, openUrl(secrets, row)),
    previousSecretExpiresAt:
      row.previous_secret_expires_at && row.previous_secret_expires_at > now
        ? row.previous_secret_expires_at.toISOString()
        : null,
    failingSince: state.failing_since?.toISOString() ?? null,
    lastDelivery:
      state.last_id !== null && state.last_state !== null && state.last_created_at !== null
        ? { id: state.last_id, state: state.last_state, createdAt: state.last_created_at.toISOString() }
        : null,
    auditCursor: row.stream_after === null ? null : (state.audit_sequence ?? row.stream_after),
    createdAt: row.created_at.toISOString(),
    modifiedAt: row.modified_at.toISOString(),
  });

export function serveNotificationChannels(
  routes: Routes,
  ctx: Context,
  removeFromRules: RemoveFromRules,
): void {
  const present = presenter(ctx);

  routes.read(contract.listNotificationChannels, async ({ actor, query, now }) => {
    const { rows, metadata } = await listChannels(ctx.reader, actor.organization.id, query);
    return { data: rows.map((row) => present(row, row, now)), metadata };
  });

  routes.read(contract.getNotificationChannel, async ({ actor, params, now }) => {
    const row = await findChannel(ctx.reader, actor.organization.id, params.channelID);
    if (!row) throw new ApiError("ERR_NOT_FOUND");
    return present(row, row, now);
  });

  routes.write(contract.createNotificationChannel, async ({ actor, body, now }, tx) =>
    mapOutcome(await createChannel(ctx, tx, { actor, body, now }), ({ row, secret }) => ({
      ...present(row, noState, now),
      secret,
    })),
  );

  routes.write(contract.updateNotificationChannel, async ({ actor, params, body, now }, tx) => {
    const state = await findChannel(tx, actor.organization.id, params.channelID);
    return mapOutcome(await updateChannel(ctx, tx, { actor, id: params.channelID, body, now }), (row) =>
      present(row, state ?? noState, now),
    );
  });

  routes.write(contract.rotateNotificationSecret, async ({ actor, params, now }, tx) => {
    const state = await findChannel(tx, actor.organization.id, params.channelID);
    return mapOutcome(
      await rotateSecret(ctx, tx, { actor, id: params.channelID, now }),
      ({ row, secret }) => ({ ...present(row, state ?? noState, now), secret }),
    );
  });

  routes.write(contract.deleteNotificationChannel, ({ actor, params, now }, tx) =>
    deleteChannel(ctx, tx, { actor, id: params.channelID, now }, removeFromRules),
  );
}
