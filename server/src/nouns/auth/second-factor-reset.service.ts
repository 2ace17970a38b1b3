/** For the operator: lets a user who has lost their authenticators set up another one. */
import { ConfigError } from "../../infrastructure/config/config.ts";
import { type AuditEntry, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockUserForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { secondFactorResetNotice } from "../../features/mail/notices.ts";
import { queueMail } from "../../features/mail/queue-mail.ts";
import { resetCodeLimits } from "./code-limits.service.ts";
import { deleteRecoveryCodes } from "./recovery-codes.service.ts";

/** Ends all sessions: otherwise a stolen session could set up the next authenticator. */
export async function resetSecondFactor(tx: Writer, email: string, now: Date): Promise<Outcome<number>> {
  const user = await tx
    .selectFrom("users")
    .innerJoin("organizations", "organizations.id", "users.organization_id")
    .select(["users.id", "users.email", "users.organization_id", "organizations.name as organization"])
    .where("users.email", "=", email.trim().toLowerCase())
    .executeTakeFirst();
  if (!user) throw new ConfigError(`No user with a second factor has the email address ${email}`);
  await lockUserForNoKeyUpdate(tx, user.id);
  const removed = await tx
    .deleteFrom("totp_authenticators")
    .where("user_id", "=", user.id)
    .returning(["id", "name"])
    .execute();
  await tx.deleteFrom("totp_setups").where("user_id", "=", user.id).execute();
  await deleteRecoveryCodes(tx, user.id);
  await resetCodeLimits(tx, user.id);
  await tx.deleteFrom("sessions").where("user_id", "=", user.id).execute();
  const [first, ...rest] = removed.map(({ id, name }): AuditEntry => ({
    organizationID: user.organization_id,
    actor: { type: "support" },
    target: { type: "totp", id },
    event: "DELETED_TOTP",
    before: { name, userID: user.id },
    after: null,
  }));
  if (!first) throw new ConfigError(`${email} has no authenticator yet. It is set up at the next login.`);
  const content = secondFactorResetNotice({ at: now, organization: user.organization, email: user.email });
  await queueMail(tx, { kind: "notice", email: user.email, content, now });
  return done(removed.length, first, ...rest);
}
