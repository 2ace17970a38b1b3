/** People who use single sign-on: created at their first sign-in, updated from the claims at every sign-in. */
import type { MemberRole } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { type AuditEntry, done } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockOidcUserForUpdate } from "../../infrastructure/db/locks.ts";
import { requireAdmission, type Identity } from "./claims.ts";
import type { IdentityProviders } from "./identity-providers.ts";
import {
  clientOf,
  findProvider,
  lockProvider,
  rulesOf,
  requireSameProvider,
} from "./oidc-provider.service.ts";
import { removedPersonError } from "./removals.service.ts";
import { exchange, auditFailure, type SignInReturn, takeSignIn } from "./sign-ins.service.ts";
import { createSsoSession } from "./sso-sessions.service.ts";

export async function signInToConsole(
  ctx: Context,
  providers: IdentityProviders,
  returned: SignInReturn,
): Promise<{ authToken: string }> {
  const { ip, now } = returned;
  const taken = await takeSignIn(ctx, returned, { purpose: "console" });
  const { signIn } = taken;
  const { organization_id: organizationID, provider_id: providerID } = signIn;
  const claims = await auditFailure(ctx, { signIn, ip }, async () => {
    const row = requireSameProvider(await findProvider(ctx.reader, organizationID), providerID);
    return exchange(providers, taken, { client: clientOf(ctx, row), rules: rulesOf(row) });
  });
  const createSession = () =>
    ctx.audited(
      async (tx) => {
        // Reads the rules again: they may have changed during the request to the provider.
        const provider = await lockProvider(tx, { organizationID, providerID });
        const { identity, role } = requireAdmission(claims, rulesOf(provider));
        const { id, changes } = await recordUser(tx, { organizationID, identity, role, now });
        const authToken = await createSsoSession(tx, { organizationID, userID: id, now });
        const signInEntry = entry(organizationID, identity, id, "SUCCEEDED_AUTH", null, { factor: "sso" });
        return done({ authToken }, signInEntry, ...changes);
      },
      { address: ip },
    );
  return auditFailure(ctx, { signIn, ip, claims }, createSession);
}

const entry = (
  organizationID: string,
  identity: Identity,
  id: string,
  event: AuditEntry["event"],
  before: object | null,
  after: object,
): AuditEntry => ({
  organizationID,
  actor: { type: "oidcUser", ...identity },
  target: { type: "user", id },
  event,
  before,
  after,
});

interface SignedInUser {
  organizationID: string;
  identity: Identity;
  role: MemberRole;
  now: Date;
}

async function recordUser(
  tx: Writer,
  { organizationID, identity, role, now }: SignedInUser,
): Promise<{ id: string; changes: AuditEntry[] }> {
  const { issuer, subject, email } = identity;
  const created = await tx
    .insertInto("oidc_users")
    .values({
      id: newId("oidcuser"),
      organization_id: organizationID,
      issuer,
      subject,
      email,
      role,
      created_at: now,
      signed_in_at: now,
    })
    .onConflict((conflict) => conflict.columns(["organization_id", "issuer", "subject"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (created)
    return {
      id: created.id,
      changes: [entry(organizationID, identity, created.id, "CREATED", null, { email, role })],
    };
  const before = await lockOidcUserForUpdate(tx, organizationID, { issuer, subject });
  if (!before) throw new Error("A user that exists was not found");
  if (before.removed_at) throw removedPersonError();
  await tx
    .updateTable("oidc_users")
    .set({ email, role, signed_in_at: now })
    .where("id", "=", before.id)
    .execute();
  const { id } = before;
  const previous = { email: before.email, role: before.role };
  if (previous.email === email && previous.role === role) return { id, changes: [] };
  return { id, changes: [entry(organizationID, identity, id, "UPDATED", previous, { email, role })] };
}
