/** People an identity provider vouches for: made by their first sign-in, and as the provider says with each. */
import { AUTH_TOKEN_DAYS, type MemberRole } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { hashToken, newToken } from "../../infrastructure/crypto/tokens.ts";
import { type AuditEntry, done } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { OIDC_TOKEN_PREFIX } from "../../infrastructure/http/credentials.ts";
import { admitted, type Identity } from "./claims.ts";
import type { IdentityProviders } from "./identity-providers.ts";
import { clientOf, findProvider, holdProvider, rulesOf, sameProvider } from "./oidc-provider.service.ts";
import { personRemoved } from "./removals.service.ts";
import { exchange, loggingFailure, type Return, takeSignIn } from "./sign-ins.service.ts";
import { DAY_MS } from "../../infrastructure/time/durations.ts";

/** A session of the console for whoever has come back from the provider. */
export async function signInToConsole(
  ctx: Context,
  providers: IdentityProviders,
  returned: Return,
): Promise<{ authToken: string }> {
  const { ip, now } = returned;
  const taken = await takeSignIn(ctx, returned, { purpose: "console" });
  const { signIn } = taken;
  const { organization_id: organizationID, provider_id: providerID } = signIn;
  const claims = await loggingFailure(ctx, { signIn, ip }, async () => {
    const row = sameProvider(await findProvider(ctx.reader, organizationID), providerID);
    return exchange(providers, taken, { client: clientOf(ctx, row), rules: rulesOf(row) });
  });
  const enter = () =>
    ctx.audited(
      async (tx) => {
        // By the rules of now: they may have changed while the provider was asked.
        const provider = await holdProvider(tx, { organizationID, providerID });
        const { identity, role } = admitted(claims, rulesOf(provider));
        const { id, changes } = await recordUser(tx, { organizationID, identity, role, now });
        const authToken = await createOidcSession(tx, { organizationID, userID: id, now });
        const entered = entry(organizationID, identity, id, "SUCCEEDED_AUTH", null, { factor: "sso" });
        return done({ authToken }, entered, ...changes);
      },
      { address: ip },
    );
  return loggingFailure(ctx, { signIn, ip, claims }, enter);
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

interface Recorded {
  organizationID: string;
  identity: Identity;
  role: MemberRole;
  now: Date;
}

async function recordUser(
  tx: Writer,
  { organizationID, identity, role, now }: Recorded,
): Promise<{ id: string; changes: AuditEntry[] }> {
  const { issuer, subject, email } = identity;
  const made = await tx
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
  if (made)
    return {
      id: made.id,
      changes: [entry(organizationID, identity, made.id, "CREATED", null, { email, role })],
    };
  const before = await tx
    .selectFrom("oidc_users")
    .select(["id", "email", "role", "removed_at"])
    .where("organization_id", "=", organizationID)
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (before.removed_at) throw personRemoved();
  await tx
    .updateTable("oidc_users")
    .set({ email, role, signed_in_at: now })
    .where("id", "=", before.id)
    .execute();
  const { id, removed_at: _, ...was } = before;
  if (was.email === email && was.role === role) return { id, changes: [] };
  return { id, changes: [entry(organizationID, identity, id, "UPDATED", was, { email, role })] };
}

async function createOidcSession(
  tx: Writer,
  { organizationID, userID, now }: { organizationID: string; userID: string; now: Date },
): Promise<string> {
  const token = `${OIDC_TOKEN_PREFIX}${newToken()}`;
  await tx
    .insertInto("oidc_sessions")
    .values({
      id: newId("session"),
      organization_id: organizationID,
      oidc_user_id: userID,
      token_hash: hashToken(token),
      created_at: now,
      last_used_at: now,
      expires_at: new Date(now.getTime() + AUTH_TOKEN_DAYS * DAY_MS),
    })
    .execute();
  return token;
}
