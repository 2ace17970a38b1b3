/** The owner of the seeded organization, who is logged in without a magic link or code. */
import { type Account, createAccount } from "../nouns/auth/accounts.service.ts";
import { authenticationAt, createAuthToken, createSession } from "../nouns/auth/sessions.service.ts";
import type { Context } from "../infrastructure/context/context.ts";
import { hashToken } from "../infrastructure/crypto/tokens.ts";
import { done } from "../infrastructure/db/audited.ts";

export function createOwner(ctx: Context, { email, now }: { email: string; now: Date }): Promise<Account> {
  return ctx.audited(async (tx) => {
    const { account, entries } = await createAccount(ctx, tx, {
      email,
      plan: null,
      setupCodeHash: null,
      now,
    });
    return done(account, ...entries);
  });
}

export interface OwnerTokens {
  userToken: string;
  authToken: string;
}

/** Creates a complete session; `factor` is recorded in the audit log. */
export function logInOwner(ctx: Context, account: Account, factor: string): Promise<OwnerTokens> {
  return ctx.audited(async (tx) => {
    const now = ctx.clock();
    const userToken = await createSession(tx, account, now);
    const session = await tx
      .selectFrom("sessions")
      .select("id")
      .where("token_hash", "=", hashToken(userToken))
      .executeTakeFirstOrThrow();
    const authToken = await createAuthToken(tx, session.id, authenticationAt(now));
    return done(
      { userToken, authToken },
      {
        organizationID: account.organizationID,
        actor: { type: "user", id: account.userID, email: account.email },
        target: { type: "user", id: account.userID },
        event: "SUCCEEDED_AUTH",
        before: null,
        after: { factor },
      },
    );
  });
}
