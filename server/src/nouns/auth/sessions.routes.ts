import * as contract from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { clampToNow } from "../../infrastructure/time/clock.ts";
import { listSessions, revokeSession, revokeSessions } from "./sessions.service.ts";

export function serveSessions(routes: Routes, ctx: Context): void {
  routes.read(contract.listSessions, async ({ person, now }) => {
    const rows = await listSessions(ctx.reader, person.id, now);
    return rows.map((row) => ({
      id: row.id,
      createdAt: row.created_at.toISOString(),
      lastUsedAt: clampToNow(row.last_used_at, now).toISOString(),
      address: row.address,
      userAgent: row.user_agent,
      isCurrent: row.id === person.session.id,
    }));
  });

  routes.writeUnaudited(contract.revokeSession, async ({ person, params }) => {
    await revokeSession(ctx, person, params.sessionID);
    return {};
  });

  routes.writeUnaudited(contract.revokeSessions, async ({ person }) => {
    await revokeSessions(ctx, person);
    return {};
  });
}
