import { type Selectable, sql } from "kysely";
import { hashToken, newCode } from "../../infrastructure/crypto/tokens.ts";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { executeWithNext } from "../../infrastructure/db/driver.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { DAY_SECONDS, SECOND_MS } from "../../infrastructure/time/durations.ts";

export const CODE_LIFETIME_SECONDS = DAY_SECONDS;

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
  const expires_at = new Date(now.getTime() + lifetimeSeconds * SECOND_MS);
  const values = { code_hash: codeHash, expires_at, created_at: now };
  await tx
    .insertInto("enrollment_codes")
    .values({ host_id: host.id, organization_id: author.organizationID, ...values })
    .onConflict((conflict) => conflict.column("host_id").doUpdateSet(values))
    .execute();
  return {
    ...author,
    target: { type: "host", id: host.id },
    event: "CREATED_ENROLL_CODE",
    before: null,
    after: { expiresAt: expires_at.toISOString() },
    networkID: host.network_id,
  };
}

export interface CodeOwner {
  host_id: string;
  network_id: string;
  organization_id: string;
  /** Whether the host has been enrolled before. */
  is_enrolled: boolean;
}

/**
 * Returns the owner of each code, or undefined if it's wrong, used or expired. The code of a blocked host stays valid
 * until the host is unblocked.
 */
export async function findCodeOwners(
  db: Reader,
  codes: readonly string[],
  now: Date,
): Promise<(CodeOwner | undefined)[]> {
  const hashes = codes.map(hashToken);
  const rows = await db
    .selectFrom("enrollment_codes")
    .innerJoin("hosts", "hosts.id", "enrollment_codes.host_id")
    .select([
      "enrollment_codes.code_hash",
      "enrollment_codes.host_id",
      "hosts.network_id",
      "hosts.organization_id",
      "hosts.is_enrolled",
    ])
    .where("code_hash", "=", sql<Buffer>`any(${hashes}::bytea[])`)
    .where("expires_at", ">", now)
    .execute();
  return hashes.map((hash) => rows.find(({ code_hash }) => code_hash.equals(hash)));
}

/** Takes effect with the caller's next statement. */
export async function deleteEnrollmentCodes(tx: Writer, hostIDs: readonly string[]): Promise<void> {
  const isOfHost = sql<boolean>`host_id = any(${hostIDs}::text[])`;
  await executeWithNext(tx, tx.deleteFrom("enrollment_codes").where(isOfHost));
}

export interface DeviceOwner {
  organizationID: string;
  issuer: string;
  subject: string;
}

/** Deletes the codes of devices that the person has not enrolled yet. */
export async function deleteEnrollmentCodesOfPerson(
  tx: Writer,
  { organizationID, issuer, subject }: DeviceOwner,
): Promise<void> {
  await tx
    .deleteFrom("enrollment_codes")
    .where("host_id", "in", (eb) =>
      eb
        .selectFrom("hosts")
        .innerJoin("endpoint_users", "endpoint_users.id", "hosts.endpoint_oidc_user_id")
        .select("hosts.id")
        .where("hosts.organization_id", "=", organizationID)
        .where("endpoint_users.issuer", "=", issuer)
        .where("endpoint_users.subject", "=", subject),
    )
    .execute();
}
