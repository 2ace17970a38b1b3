/** People who sign in for their devices, identified by issuer and subject and never by email address. */
import { newId } from "../../infrastructure/crypto/ids.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Identity } from "../../nouns/sso/claims.ts";

/** Returns the id of the user, who is created at the first sign-in. */
export async function ensureEndpointUser(
  tx: Writer,
  { organizationID, identity, now }: { organizationID: string; identity: Identity; now: Date },
): Promise<string> {
  const { id } = await tx
    .insertInto("endpoint_users")
    .values({ id: newId("eoidcuser"), organization_id: organizationID, ...identity, created_at: now })
    .onConflict((conflict) =>
      conflict.columns(["organization_id", "issuer", "subject"]).doUpdateSet({ email: identity.email }),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

export interface EndpointHost {
  endpointUserID: string | null;
  /** When its user has to sign in again. */
  endpointExpiresAt: Date | null;
}

/** What the reply to a device says about its user; null for a host without one. */
export async function endpointOidcOf(
  db: Reader,
  { endpointUserID, endpointExpiresAt }: EndpointHost,
): Promise<{ email: string; expiresAt: string | null } | null> {
  if (endpointUserID === null) return null;
  const user = await db
    .selectFrom("endpoint_users")
    .select("email")
    .where("id", "=", endpointUserID)
    .executeTakeFirst();
  return user ? { email: user.email, expiresAt: endpointExpiresAt?.toISOString() ?? null } : null;
}

/** An expired sign-in gets no new certificate or configuration. */
export function requireCurrentSignIn(host: Pick<EndpointHost, "endpointExpiresAt">, now: Date): void {
  if (isSignInExpired(host, now)) throw new ApiError("ERR_HOST_SIGN_IN_EXPIRED");
}

export const isSignInExpired = ({ endpointExpiresAt }: Pick<EndpointHost, "endpointExpiresAt">, now: Date) =>
  endpointExpiresAt !== null && endpointExpiresAt <= now;
