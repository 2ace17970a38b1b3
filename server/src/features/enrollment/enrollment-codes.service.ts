import type { Selectable } from "kysely";
import { hashToken, newCode } from "../../infrastructure/crypto/tokens.ts";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { entryOf } from "../../nouns/hosts/host-audit.ts";

export const CODE_LIFETIME_SECONDS = 86_400;

export interface EnrollmentCode {
  code: string;
  lifetimeSeconds: number;
}

interface CreateEnrollmentCode {
  author: Author;
  now: Date;
  host: Pick<Selectable<Tables["hosts"]>, "id" | "network_id" | "is_blocked">;
  lifetimeSeconds: number;
}

/** A host has at most one code: a new code replaces the previous one. */
export async function createEnrollmentCode(
  tx: Writer,
  { author, now, host, lifetimeSeconds }: CreateEnrollmentCode,
): Promise<{ enrollmentCode: EnrollmentCode; entry: AuditEntry }> {
  const code = newCode();
  const entry = await storeEnrollmentCode(tx, {
    author,
    now,
    host,
    lifetimeSeconds,
    codeHash: hashToken(code),
  });
  return { enrollmentCode: { code, lifetimeSeconds }, entry };
}

/** For a code that the caller has generated. */
export async function storeEnrollmentCode(
  tx: Writer,
  { author, now, host, lifetimeSeconds, codeHash }: CreateEnrollmentCode & { codeHash: Buffer },
): Promise<AuditEntry> {
  if (host.is_blocked) throw new ApiError("ERR_HOST_BLOCKED");
  const expires_at = new Date(now.getTime() + lifetimeSeconds * 1000);
  const values = { code_hash: codeHash, expires_at, created_at: now };
  await tx
    .insertInto("enrollment_codes")
    .values({ host_id: host.id, organization_id: author.organizationID, ...values })
    .onConflict((conflict) => conflict.column("host_id").doUpdateSet(values))
    .execute();
  const after = { expiresAt: expires_at.toISOString() };
  return entryOf(author, host, "CREATED_ENROLL_CODE", null, after);
}
