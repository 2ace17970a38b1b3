import type { MemberRole } from "@lightkeeper/contract";
import { newId } from "../infrastructure/crypto/ids.ts";
import { hashToken, newToken } from "../infrastructure/crypto/tokens.ts";
import { HOUR_MS } from "../infrastructure/time/durations.ts";
import { SSO_TOKEN_PREFIX } from "../nouns/sso/sso-sessions.service.ts";
import type { Session, TestServer } from "./server.ts";

const SSO_SESSION_MS = 16 * HOUR_MS;

/** Creates a member who is signed in with single sign-on, and returns their token. */
export async function insertSsoUser(
  { ctx, query }: TestServer,
  { organizationID }: Pick<Session, "organizationID">,
  role: MemberRole = "administrator",
): Promise<string> {
  const [id, token, now] = [newId("oidcuser"), `${SSO_TOKEN_PREFIX}${newToken()}`, ctx.clock()];
  await query(
    `insert into oidc_users (id, organization_id, issuer, subject, email, role, created_at, signed_in_at)
      values ($1, $2, 'https://issuer.example', $1, 'somebody@example.com', $3, $4, $4)`,
    [id, organizationID, role, now],
  );
  await query(
    `insert into oidc_sessions (id, organization_id, oidc_user_id, token_hash, created_at, last_used_at, expires_at)
      values ($1, $2, $3, $4, $5, $5, $6)`,
    [newId("session"), organizationID, id, hashToken(token), now, new Date(now.getTime() + SSO_SESSION_MS)],
  );
  return token;
}
