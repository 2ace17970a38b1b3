/**
 * Encryption at rest. A sealed value can be opened only with the same key and in the same row and column: the location
 * is authenticated data.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const FORMAT = 1;
const KEY_ID_LENGTH = 4;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const HEADER_LENGTH = 1 + KEY_ID_LENGTH + NONCE_LENGTH + TAG_LENGTH;

export interface SecretLocation {
  table: string;
  column: string;
  id: string;
}

export interface SecretBox {
  /** Identifies the key, in hexadecimal; included in every sealed value. */
  keyID: string;
  seal(plain: Uint8Array, location: SecretLocation): Buffer;
  open(sealed: Buffer, location: SecretLocation): Buffer;
}

const locationBytes = ({ table, column, id }: SecretLocation) =>
  Buffer.from(JSON.stringify([table, column, id]));

export function createSecretBox(key: Buffer): SecretBox {
  const keyId = createHash("sha256")
    .update("lightkeeper key id")
    .update(key)
    .digest()
    .subarray(0, KEY_ID_LENGTH);
  return {
    keyID: keyId.toString("hex"),
    seal(plain, location) {
      const nonce = randomBytes(NONCE_LENGTH);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(locationBytes(location));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Buffer.of(FORMAT), keyId, nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, location) {
      if (sealed.length < HEADER_LENGTH || sealed[0] !== FORMAT) throw new Error("Not a sealed value");
      if (!sealed.subarray(1, 1 + KEY_ID_LENGTH).equals(keyId))
        throw new Error("This value was encrypted with a different SECRET_KEY");
      const nonce = sealed.subarray(1 + KEY_ID_LENGTH, HEADER_LENGTH - TAG_LENGTH);
      const decipher = createDecipheriv("aes-256-gcm", key, nonce)
        .setAAD(locationBytes(location))
        .setAuthTag(sealed.subarray(HEADER_LENGTH - TAG_LENGTH, HEADER_LENGTH));
      return Buffer.concat([decipher.update(sealed.subarray(HEADER_LENGTH)), decipher.final()]);
    },
  };
}
