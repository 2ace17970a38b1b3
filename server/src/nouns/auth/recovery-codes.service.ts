import {
  type createRecoveryCodes as createEndpoint,
  type DataOf,
  RECOVERY_CODES,
} from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { hashReadableCode, newReadableCode } from "../../infrastructure/crypto/readable-codes.ts";
import { done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { lockUserForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { auditActor, type User } from "../../infrastructure/http/actor.ts";
import type { Origin } from "../../infrastructure/http/origin.ts";
import { recoveryCodeUsedNotice } from "../../features/mail/notices.ts";
import { queueMail } from "../../features/mail/queue-mail.ts";
import { completeLogIn, lockAuthenticators, rejectCode } from "./totp.service.ts";

export async function countUnusedCodes(
  db: Reader,
  userID: string,
): Promise<{ unusedCount: number; createdAt: Date | null }> {
  return db
    .selectFrom("recovery_codes")
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere("used_at", "is", null).as("unusedCount"),
      eb.fn.max("created_at").as("createdAt"),
    ])
    .where("user_id", "=", userID)
    .executeTakeFirstOrThrow();
}

export async function deleteRecoveryCodes(tx: Writer, userID: string): Promise<void> {
  await tx.deleteFrom("recovery_codes").where("user_id", "=", userID).execute();
}

/** Replaces all codes of the person. Only their hashes are stored. */
export async function createRecoveryCodes(
  tx: Writer,
  person: User,
  now: Date,
): Promise<Outcome<DataOf<typeof createEndpoint>>> {
  await lockUserForNoKeyUpdate(tx, person.id);
  await deleteRecoveryCodes(tx, person.id);
  const codes = Array.from({ length: RECOVERY_CODES }, newReadableCode);
  const owner = { organization_id: person.organization.id, user_id: person.id, created_at: now };
  await tx
    .insertInto("recovery_codes")
    .values(codes.map((code) => ({ ...owner, code_hash: hashReadableCode(code) })))
    .execute();
  return done(
    { codes },
    {
      organizationID: person.organization.id,
      actor: auditActor(person),
      target: { type: "user", id: person.id },
      event: "CREATED_RECOVERY_CODES",
      before: null,
      after: { email: person.email, unusedRecoveryCodes: RECOVERY_CODES },
    },
  );
}

interface CodeLogin {
  person: User;
  code: string;
  origin: Origin;
  now: Date;
}

export async function logInWithRecoveryCode(
  ctx: Context,
  tx: Writer,
  { person, code, origin, now }: CodeLogin,
): Promise<Outcome<{ authToken: string; unusedCount: number }>> {
  if ((await lockAuthenticators(tx, person)).length === 0) throw new ApiError("ERR_2FA_ENROLLMENT_REQUIRED");
  const used = await tx
    .updateTable("recovery_codes")
    .set({ used_at: now })
    .where("user_id", "=", person.id)
    .where("code_hash", "=", hashReadableCode(code))
    .where("used_at", "is", null)
    .returning("user_id")
    .executeTakeFirst();
  if (!used) return rejectCode(tx, { person, origin, now, factor: "recoveryCode" });
  const { unusedCount } = await countUnusedCodes(tx, person.id);
  await notifyOfUse(ctx, tx, { person, origin, now, unusedCount });
  const details = { factor: "recoveryCode", unusedRecoveryCodes: unusedCount };
  const { authToken, entry } = await completeLogIn(ctx, tx, { person, now, details });
  return done({ authToken, unusedCount }, entry);
}

async function notifyOfUse(
  { config }: Context,
  tx: Writer,
  { person, origin, now, unusedCount }: Omit<CodeLogin, "code"> & { unusedCount: number },
): Promise<void> {
  const content = recoveryCodeUsedNotice({
    at: now,
    organization: person.organization.name,
    origin,
    appURL: config.appURL,
    email: person.email,
    unusedCount,
  });
  await queueMail(tx, { kind: "notice", email: person.email, content, now });
}
