import * as contract from "@lightkeeper/contract";
import type { Member } from "@lightkeeper/contract";
import { clampToNow } from "../../infrastructure/time/clock.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { presenting } from "../../infrastructure/db/audited.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { revokeSession, revokeSessions } from "../auth/sessions.service.ts";
import { declineInvitation, listInvitations } from "./invitations.service.ts";
import { leaveOrganization, readmitMember, removeMember } from "./member-removal.service.ts";
import { listMembers, listSessions } from "./members.queries.ts";
import { inviteMember, updateMember } from "./members.service.ts";
import type { MemberRow } from "./membership.service.ts";

const INVITATIONS_MAX = 50;

const toMember = (row: MemberRow): Member => ({
  id: row.id,
  kind: row.kind,
  email: row.email,
  role: row.role,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
  removedAt: row.removed_at?.toISOString() ?? null,
  invitedBy: row.invited_by_email,
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
  routes.write(contract.removeMember, ({ person, params, query, now }, tx) =>
    removeMember(tx, { person, id: params.memberID, revokeAPIKeys: query.revokeAPIKeys, now }),
  );
  routes.write(contract.readmitMember, async ({ person, params }, tx) =>
    presenting(await readmitMember(tx, { person, id: params.memberID }), toMember),
  );
  routes.write(contract.leaveOrganization, ({ person, query }, tx) =>
    leaveOrganization(tx, { person, revokeAPIKeys: query.revokeAPIKeys }),
  );
}

/** Serves people who have an account; others use the magic-link endpoints. */
export function serveInvitations(routes: Routes, ctx: Context): void {
  routes.read(contract.listInvitations, ({ person, now }) => listInvitations(ctx.reader, person.email, now));
  routes.write(contract.declineInvitation, ({ person, params, now }, tx) =>
    declineInvitation(tx, { id: params.invitationID, email: person.email, now }),
  );
}

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
