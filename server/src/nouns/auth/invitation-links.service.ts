/** Accepts and declines invitations without an account: the magic link proves the email address. */
import type { DataOf, listInvitationsByLink as listEndpoint, MemberRole } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Outcome } from "../../infrastructure/db/audited.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Origin } from "../../infrastructure/http/origin.ts";
import { acceptInvitation, declineInvitation, listInvitations } from "../members/invitations.service.ts";
import { findAccount, isSignupOpen } from "./accounts.service.ts";
import {
  canSignUpWith,
  getMagicLink,
  lockMagicLink,
  logInByLink,
  signUpByLink,
} from "./magic-links.service.ts";

interface LinkRequest {
  token: string;
  now: Date;
}

type NewSession = Outcome<{ sessionToken: string }>;

/** An account belongs to one organization. */
async function requireNoAccount(db: Reader, email: string): Promise<void> {
  if (await findAccount(db, email)) throw new ApiError("ERR_ALREADY_MEMBER");
}

export async function listInvitationsByLink(
  { reader, config }: Context,
  { token, now }: LinkRequest,
): Promise<DataOf<typeof listEndpoint>> {
  const link = await getMagicLink(reader, token, now);
  await requireNoAccount(reader, link.email);
  return {
    email: link.email,
    invitations: await listInvitations(reader, link.email, now),
    canCreateOrganization: (await isSignupOpen(config, reader)) && (await canSignUpWith(reader, link, now)),
  };
}

export async function acceptInvitationByLink(
  tx: Writer,
  { token, now, origin, id, role }: LinkRequest & { origin: Origin; id: string; role: MemberRole },
): Promise<NewSession> {
  const { email } = await lockMagicLink(tx, token, now);
  await requireNoAccount(tx, email);
  return logInByLink(tx, await acceptInvitation(tx, { id, email, role, now }), { now, origin });
}

export async function declineInvitationByLink(tx: Writer, { token, now, id }: LinkRequest & { id: string }) {
  const { email } = await lockMagicLink(tx, token, now);
  return declineInvitation(tx, { id, email, now });
}

export async function createOwnOrganization(
  ctx: Context,
  tx: Writer,
  { token, ...login }: LinkRequest & { origin: Origin },
): Promise<NewSession> {
  const link = await lockMagicLink(tx, token, login.now);
  await requireNoAccount(tx, link.email);
  return signUpByLink(ctx, tx, link, login);
}
