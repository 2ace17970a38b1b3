import * as contract from "@lightkeeper/contract";
import type { ApiKey } from "@lightkeeper/contract";
import { clampToNow } from "../../infrastructure/time/clock.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome } from "../../infrastructure/db/audited.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { type ApiKeyRow, findApiKey, listApiKeys } from "./api-keys.queries.ts";
import { createApiKey, deleteApiKey, rotateApiKey, updateApiKey } from "./api-keys.service.ts";

const toApiKey = (row: ApiKeyRow, now: Date): ApiKey => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes,
  expiresAt: row.expires_at?.toISOString() ?? null,
  lastUsedAt: row.last_used_at ? clampToNow(row.last_used_at, now).toISOString() : null,
  previousExpiresAt:
    row.previous_expires_at && row.previous_expires_at > now ? row.previous_expires_at.toISOString() : null,
  createdAt: row.created_at.toISOString(),
  createdBy:
    row.created_by_id !== null && row.created_by_email !== null
      ? { id: row.created_by_id, email: row.created_by_email }
      : null,
});

export function serveApiKeys(routes: Routes, ctx: Context): void {
  routes.read(contract.listApiKeys, async ({ person, query, now }) => {
    const { rows, metadata } = await listApiKeys(ctx.reader, person.organization.id, query);
    return { data: rows.map((row) => toApiKey(row, now)), metadata };
  });

  routes.read(contract.getApiKey, async ({ person, params, now }) => {
    const row = await findApiKey(ctx.reader, person.organization.id, params.apiKeyID);
    if (!row) throw new ApiError("ERR_NOT_FOUND");
    return toApiKey(row, now);
  });

  routes.write(contract.createApiKey, async ({ person, body, ip, userAgent, now }, tx) =>
    mapOutcome(
      await createApiKey(ctx, tx, { person, body, origin: { ip, userAgent }, now }),
      ({ row, token }) => ({
        ...toApiKey(row, now),
        token,
      }),
    ),
  );

  routes.write(contract.rotateApiKey, async ({ person, params, body, now }, tx) =>
    mapOutcome(
      await rotateApiKey(tx, { person, id: params.apiKeyID, overlapSeconds: body.overlapSeconds, now }),
      ({ row, token }) => ({ ...toApiKey(row, now), token }),
    ),
  );

  routes.write(contract.updateApiKey, async ({ person, params, body, now }, tx) =>
    mapOutcome(await updateApiKey(tx, { person, id: params.apiKeyID, body, now }), (row) =>
      toApiKey(row, now),
    ),
  );

  routes.write(contract.deleteApiKey, ({ person, params }, tx) =>
    deleteApiKey(tx, { person, id: params.apiKeyID }),
  );
}
