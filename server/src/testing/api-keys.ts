import { randomBytes } from "node:crypto";
import type { Scope } from "@lightkeeper/contract";
import { base32, newId } from "../infrastructure/crypto/ids.ts";
import { hashToken } from "../infrastructure/crypto/tokens.ts";
import { done } from "../infrastructure/db/audited.ts";
import type { Session, TestServer } from "./server.ts";

let keyCount = 0;

/** Creates an API key without the API, which requires a recent second factor. */
export async function insertApiKey(
  { ctx }: TestServer,
  { organizationID, userID, email }: Session,
  scopes: Scope[],
): Promise<{ id: string; token: string }> {
  const id = newId("lkkey");
  const token = `${id}-${base32(randomBytes(32))}`;
  const name = `Key ${++keyCount}`;
  await ctx.audited(async (tx) => {
    await tx
      .insertInto("api_keys")
      .values({
        id,
        organization_id: organizationID,
        name,
        scopes,
        token_hash: hashToken(token),
        previous_token_hash: null,
        previous_expires_at: null,
        expires_at: null,
        last_used_at: null,
        created_at: ctx.clock(),
        created_by_id: userID,
        created_by_email: email,
      })
      .execute();
    return done(
      {},
      {
        organizationID,
        actor: { type: "user", id: userID, email },
        target: { type: "apiKey", id },
        event: "CREATED",
        before: null,
        after: { name, scopes },
      },
    );
  });
  return { id, token };
}
