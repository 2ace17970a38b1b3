import { hashToken, newCode } from "../../infrastructure/crypto/tokens.ts";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { entryOf } from "./host-audit.ts";
import type { HostRow } from "./hosts.queries.ts";

export const CODE_LIFETIME_SECONDS = 86_400;

export interface EnrollmentCode {
  code: string;
  lifetimeSeconds: number;
}

interface CreateEnrollmentCode {
  author: Author;
  now: Date;
  host: Pick<HostRow, "id" | "network_id" | "is_blocked">;
  lifetimeSeconds: number;
}

/** A host has one code at most: a new one voids the older. */
export async function createEnrollmentCode(
  tx: Writer,
  { author, now, host, lifetimeSeconds }: CreateEnrollmentCode,
): Promise<{ enrollmentCode: EnrollmentCode; entry: AuditEntry }> {
  const code = newCode();
  const entry = await keepEnrollmentCode(tx, {
    author,
    now,
    host,
    lifetimeSeconds,
    codeHash: hashToken(code),
  });
  return { enrollmentCode: { code, lifetimeSeconds }, entry };
}

/** For a code that somebody else will tell. */
export async function keepEnrollmentCode(
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
