/** The encrypted columns of a channel. */
import { randomBytes } from "node:crypto";
import type { NotificationChannelType } from "@lightkeeper/contract";
import type { SecretBox, SecretLocation } from "../../infrastructure/crypto/secret-box.ts";

const SECRET_BYTES = 32;
/** As the Standard Webhooks specification writes secrets. */
export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;

const locationOf = (id: string, column: "url" | "secret" | "previous_secret"): SecretLocation => ({
  table: "notification_channels",
  column,
  id,
});

export const sealUrl = (secrets: SecretBox, id: string, url: string | null): Buffer | null =>
  url === null ? null : secrets.seal(Buffer.from(url), locationOf(id, "url"));
export const sealSecret = (secrets: SecretBox, id: string, secret: string | null): Buffer | null =>
  secret === null ? null : secrets.seal(Buffer.from(secret), locationOf(id, "secret"));

/** A sealed value can be opened only in its own column. */
export function moveToPrevious(secrets: SecretBox, id: string, sealed: Buffer): Buffer {
  const plain = secrets.open(sealed, locationOf(id, "secret"));
  return secrets.seal(plain, locationOf(id, "previous_secret"));
}

interface SealedChannel {
  id: string;
  url: Buffer | null;
  secret: Buffer | null;
  previous_secret: Buffer | null;
  previous_secret_expires_at: Date | null;
}

export const openUrl = (secrets: SecretBox, { id, url }: Pick<SealedChannel, "id" | "url">): string | null =>
  url && secrets.open(url, locationOf(id, "url")).toString();

/** The secrets to sign with, newest first. */
export function openSecrets(secrets: SecretBox, channel: SealedChannel, now: Date): string[] {
  const { id, secret, previous_secret, previous_secret_expires_at: expiresAt } = channel;
  const open = (sealed: Buffer, column: "secret" | "previous_secret") =>
    secrets.open(sealed, locationOf(id, column)).toString();
  return [
    ...(secret ? [open(secret, "secret")] : []),
    ...(previous_secret && expiresAt && expiresAt > now ? [open(previous_secret, "previous_secret")] : []),
  ];
}

/** The URLs of Slack and Teams contain a credential. */
export function maskUrl(type: NotificationChannelType, url: string | null): string | null {
  return url !== null && (type === "SLACK" || type === "TEAMS") ? `${new URL(url).origin}/…` : url;
}
