import { randomBytes } from "node:crypto";
import { API_KEYS_MAX, type ApiKeyCreate, type ApiKeyUpdate } from "@lightkeeper/contract";
import type * as z from "zod/mini";
import type { Context } from "../../infrastructure/context/context.ts";
import { base32, newId } from "../../infrastructure/crypto/ids.ts";
import { hashToken } from "../../infrastructure/crypto/tokens.ts";
import { type AuditEntry, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { UnauditedWriter, Writer } from "../../infrastructure/db/client.ts";
import { lockApiKeyForUpdate, lockOrganizationForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { auditActor, type Person } from "../../infrastructure/http/actor.ts";
import type { Origin } from "../../infrastructure/http/origin.ts";
import { newApiKeyNotice } from "../../features/mail/notices.ts";
import { queueMail } from "../../features/mail/queue-mail.ts";
import { requireMember } from "../members/membership.service.ts";
import { type ApiKeyRow, countApiKeys } from "./api-keys.queries.ts";

/** Leaves out the token hashes. */
const auditApiKey = ({ name, scopes, expires_at }: ApiKeyRow) => ({
  name,
  scopes,
  expiresAt: expires_at?.toISOString() ?? null,
});

type Change = Pick<AuditEntry, "event" | "before" | "after">;

const entry = (person: Person, id: string, change: Change): AuditEntry => ({
  organizationID: person.organization.id,
  actor: auditActor(person),
  target: { type: "apiKey", id },
  ...change,
});

function parseExpiry(value: string | null, now: Date): Date | null {
  if (value === null) return null;
  const at = new Date(value);
  if (at <= now)
    throw new ApiError("ERR_INVALID_VALUE", { path: "expiresAt", message: "must be in the future" });
  return at;
}

/** Tokens start with the ID of their key. */
export const API_KEY_TOKEN_PREFIX = "lkkey-";
const newKeyToken = (id: string) => `${id}-${base32(randomBytes(32))}`;

interface ApiKeyCreation {
  person: Person;
  body: z.output<typeof ApiKeyCreate>;
  origin: Origin;
  now: Date;
}

export async function createApiKey(
  { config }: Pick<Context, "config">,
  tx: Writer,
  { person, body, origin, now }: ApiKeyCreation,
): Promise<Outcome<{ row: ApiKeyRow; token: string }>> {
  // The lock enforces the quota, and keeps a person who is being removed from creating a key.
  await lockOrganizationForNoKeyUpdate(tx, person.organization.id);
  await requireMember(tx, person, "administrator");
  if ((await countApiKeys(tx, person.organization.id)) >= API_KEYS_MAX)
    throw new ApiError("ERR_LIMIT_EXCEEDED", { extra: { limit: API_KEYS_MAX } });
  const id = newId("lkkey");
  const token = newKeyToken(id);
  const row = await tx
    .insertInto("api_keys")
    .values({
      id,
      organization_id: person.organization.id,
      name: body.name,
      scopes: [...new Set(body.scopes)],
      token_hash: hashToken(token),
      previous_token_hash: null,
      previous_expires_at: null,
      expires_at: parseExpiry(body.expiresAt, now),
      last_used_at: null,
      created_at: now,
      created_by_id: person.id,
      created_by_email: person.email,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const content = newApiKeyNotice({
    at: now,
    organization: person.organization.name,
    origin,
    appURL: config.appURL,
    email: person.email,
    id,
    name: row.name,
  });
  await queueMail(tx, { kind: "notice", email: person.email, content, now });
  return done({ row, token }, entry(person, id, { event: "CREATED", before: null, after: auditApiKey(row) }));
}

async function getApiKeyForUpdate(tx: Writer, person: Person, id: string): Promise<ApiKeyRow> {
  const row = await lockApiKeyForUpdate(tx, person.organization.id, id);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

export async function updateApiKey(
  tx: Writer,
  { person, id, body, now }: { person: Person; id: string; body: z.output<typeof ApiKeyUpdate>; now: Date },
): Promise<Outcome<ApiKeyRow>> {
  const before = await getApiKeyForUpdate(tx, person, id);
  // The expiry of an expired key may be sent back unchanged.
  const isUnchanged = body.expiresAt === (before.expires_at?.toISOString() ?? null);
  const after = await tx
    .updateTable("api_keys")
    .set({
      name: body.name,
      scopes: [...new Set(body.scopes)],
      expires_at: isUnchanged ? before.expires_at : parseExpiry(body.expiresAt, now),
    })
    .where("organization_id", "=", person.organization.id)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const change = { event: "UPDATED", before: auditApiKey(before), after: auditApiKey(after) } as const;
  return done(after, entry(person, id, change));
}

export async function rotateApiKey(
  tx: Writer,
  { person, id, overlapSeconds, now }: { person: Person; id: string; overlapSeconds: number; now: Date },
): Promise<Outcome<{ row: ApiKeyRow; token: string }>> {
  const before = await getApiKeyForUpdate(tx, person, id);
  const token = newKeyToken(id);
  const previousExpiresAt = new Date(now.getTime() + overlapSeconds * 1000);
  const row = await tx
    .updateTable("api_keys")
    .set({
      token_hash: hashToken(token),
      previous_token_hash: before.token_hash,
      previous_expires_at: previousExpiresAt,
    })
    .where("organization_id", "=", person.organization.id)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const after = { ...auditApiKey(row), rotated: true, previousExpiresAt: previousExpiresAt.toISOString() };
  return done({ row, token }, entry(person, id, { event: "UPDATED", before: auditApiKey(before), after }));
}

export async function deleteApiKey(
  tx: Writer,
  { person, id }: { person: Person; id: string },
): Promise<Outcome<Record<string, never>>> {
  const row = await getApiKeyForUpdate(tx, person, id);
  await tx
    .deleteFrom("api_keys")
    .where("organization_id", "=", person.organization.id)
    .where("id", "=", id)
    .execute();
  return done({}, entry(person, id, { event: "DELETED", before: auditApiKey(row), after: null }));
}

/** Deletes every key that this person created and returns an audit entry for each. */
export async function revokeApiKeysOf(
  tx: Writer,
  { person, creatorID }: { person: Person; creatorID: string },
): Promise<AuditEntry[]> {
  const rows = await tx
    .deleteFrom("api_keys")
    .where("organization_id", "=", person.organization.id)
    .where("created_by_id", "=", creatorID)
    .returningAll()
    .execute();
  return rows.map((row) =>
    entry(person, row.id, { event: "DELETED", before: auditApiKey(row), after: null }),
  );
}

export async function recordApiKeyUse(db: UnauditedWriter, id: string, now: Date): Promise<void> {
  await db.updateTable("api_keys").set({ last_used_at: now }).where("id", "=", id).execute();
}
