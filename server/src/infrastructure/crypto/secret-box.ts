/**
 * Encryption at rest. A sealed value opens only with the key it was sealed with and only in the row and
 * column it was sealed for: the place is authenticated data.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const FORMAT = 1;
const KEY_ID_LENGTH = 4;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const HEADER_LENGTH = 1 + KEY_ID_LENGTH + NONCE_LENGTH + TAG_LENGTH;

export interface Place {
  table: string;
  column: string;
  id: string;
}

export interface SecretBox {
  /** Of the key, in hexadecimal; stands in everything that it sealed. */
  keyID: string;
  seal(plain: Uint8Array, place: Place): Buffer;
  open(sealed: Buffer, place: Place): Buffer;
}

const placeBytes = ({ table, column, id }: Place) => Buffer.from(JSON.stringify([table, column, id]));

export function createSecretBox(key: Buffer): SecretBox {
  const keyId = createHash("sha256")
    .update("lightkeeper key id")
    .update(key)
    .digest()
    .subarray(0, KEY_ID_LENGTH);
  return {
    keyID: keyId.toString("hex"),
    seal(plain, place) {
      const nonce = randomBytes(NONCE_LENGTH);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(placeBytes(place));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Buffer.of(FORMAT), keyId, nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, place) {
      if (sealed.length < HEADER_LENGTH || sealed[0] !== FORMAT) throw new Error("Not a sealed value");
      if (!sealed.subarray(1, 1 + KEY_ID_LENGTH).equals(keyId))
        throw new Error("Sealed with another SECRET_KEY than the one in use");
      const nonce = sealed.subarray(1 + KEY_ID_LENGTH, HEADER_LENGTH - TAG_LENGTH);
      const decipher = createDecipheriv("aes-256-gcm", key, nonce)
        .setAAD(placeBytes(place))
        .setAuthTag(sealed.subarray(HEADER_LENGTH - TAG_LENGTH, HEADER_LENGTH));
      return Buffer.concat([decipher.update(sealed.subarray(HEADER_LENGTH)), decipher.final()]);
    },
  };
}
