import * as contract from "@lightkeeper/contract";
import type { Member } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome } from "../../infrastructure/db/audited.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { declineInvitation, listInvitations } from "./invitations.service.ts";
import {
  leaveOrganization,
  readmitMember,
  removeMember,
  type RevokeApiKeys,
} from "./member-removal.service.ts";
import { listMembers } from "./members.queries.ts";
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

interface MemberDependencies {
  wakeOutbox: () => void;
  revokeApiKeys: RevokeApiKeys;
}

export function serveMembers(
  routes: Routes,
  ctx: Context,
  { wakeOutbox, revokeApiKeys }: MemberDependencies,
): void {
  const revokeIf = (isRequested: boolean) => (isRequested ? revokeApiKeys : undefined);
  routes.read(contract.listMembers, async ({ person, query }) => {
    const { rows, metadata } = await listMembers(ctx.reader, person.organization.id, query);
    return { data: rows.map(toMember), metadata };
  });

  routes.write(
    contract.inviteMember,
    async ({ person, body, now }, tx) => {
      const outcome = await inviteMember(ctx, tx, { person, ...body, now });
      wakeOutbox();
      return mapOutcome(outcome, toMember);
    },
    {
      limits: ({ person }) => [
        { name: "invite:organization", subject: person.organization.id, max: INVITATIONS_MAX },
      ],
    },
  );

  routes.write(contract.updateMember, async ({ person, params, body }, tx) =>
    mapOutcome(await updateMember(tx, { person, id: params.memberID, role: body.role }), toMember),
  );
  routes.write(contract.removeMember, ({ person, params, query, now }, tx) =>
    removeMember(tx, { person, id: params.memberID, revokeApiKeys: revokeIf(query.revokeAPIKeys), now }),
  );
  routes.write(contract.readmitMember, async ({ person, params }, tx) =>
    mapOutcome(await readmitMember(tx, { person, id: params.memberID }), toMember),
  );
  routes.write(contract.leaveOrganization, ({ person, query }, tx) =>
    leaveOrganization(tx, { person, revokeApiKeys: revokeIf(query.revokeAPIKeys) }),
  );
}

/** Serves people who have an account; others use the magic-link endpoints. */
export function serveInvitations(routes: Routes, ctx: Context): void {
  routes.read(contract.listInvitations, ({ person, now }) => listInvitations(ctx.reader, person.email, now));
  routes.write(contract.declineInvitation, ({ person, params, now }, tx) =>
    declineInvitation(tx, { id: params.invitationID, email: person.email, now }),
  );
}
