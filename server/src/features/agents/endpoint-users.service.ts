/** People who sign in for their devices: issuer and subject, as everywhere, and never an address. */
import { newId } from "../../infrastructure/crypto/ids.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import type { Identity } from "../../nouns/sso/claims.ts";

/** Their id; one is made for whoever comes for the first time. */
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
  /** When its person has to have signed in again. */
  endpointExpiresAt: Date | null;
}

/** What a device is told of its person; null of a host that is nobody's. */
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

export const isSignInExpired = ({ endpointExpiresAt }: Pick<EndpointHost, "endpointExpiresAt">, now: Date) =>
  endpointExpiresAt !== null && endpointExpiresAt <= now;
