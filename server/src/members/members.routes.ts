import * as contract from "@lightkeeper/contract";
import type { Member } from "@lightkeeper/contract";
import type { Context } from "../context.ts";
import { presenting } from "../db/audited.ts";
import type { Routes } from "../http/route.ts";
import { revokeSession } from "../auth/sessions.service.ts";
import { listMembers, listSessions } from "./members.queries.ts";
import { inviteMember, type MemberRow, removeMember, updateMember } from "./members.service.ts";

const INVITATIONS_MAX = 50;

const toMember = (row: MemberRow): Member => ({
  id: row.id,
  kind: row.kind,
  email: row.email,
  role: row.role,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
});

export function serveMembers(routes: Routes, ctx: Context, wakeOutbox: () => void): void {
  routes.read(contract.listMembers, async ({ person, query }) => {
    const { rows, metadata } = await listMembers(ctx.reader, person.organization.id, query);
    return { data: rows.map(toMember), metadata };
  });

  routes.write(
    contract.inviteMember,
    async ({ person, body, now }, tx) => {
      const outcome = await inviteMember(ctx, tx, { person, ...body, now });
      wakeOutbox();
      return presenting(outcome, toMember);
    },
    {
      limits: ({ person }) => [
        { name: "invite:organization", subject: person.organization.id, max: INVITATIONS_MAX },
      ],
    },
  );

  routes.write(contract.updateMember, async ({ person, params, body }, tx) =>
    presenting(await updateMember(tx, { person, id: params.memberID, role: body.role }), toMember),
  );
  routes.write(contract.removeMember, ({ person, params }, tx) =>
    removeMember(tx, { person, id: params.memberID }),
  );
}

export function serveSessions(routes: Routes, ctx: Context): void {
  routes.read(contract.listSessions, async ({ person, now }) => {
    const rows = await listSessions(ctx.reader, person.id, now);
    return rows.map((row) => ({
      id: row.id,
      createdAt: row.created_at.toISOString(),
      lastUsedAt: row.last_used_at.toISOString(),
      address: row.address,
      userAgent: row.user_agent,
      isCurrent: row.id === person.session.id,
    }));
  });

  routes.note(contract.revokeSession, async ({ person, params }) => {
    await revokeSession(ctx, person, params.sessionID);
    return {};
  });
}
