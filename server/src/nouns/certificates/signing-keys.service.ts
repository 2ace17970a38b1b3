/**
 * The keys that sign an organization's replies to its agents, one of each curve. They are created when the first host
 * that needs them enrolls, and stored encrypted. Agents receive the key of their curve at enrollment and trust no other.
 */
import { type Curve, encodePem } from "@lightkeeper/nebula";
import { createSignFunction, generateSigningKey } from "@lightkeeper/nebula/signing";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";

const SEED_LENGTH = 32;

export interface ReplySigner {
  /** The PEM blocks that an agent trusts, without anything after them. */
  trustedKeys: string;
  sign(bytes: Buffer): Buffer;
}

const BANNERS = {
  "25519": "NEBULA ED25519 PUBLIC KEY",
  P256: "NEBULA ECDSA P256 PUBLIC KEY",
} as const;

const secretPlace = (organizationID: string, curve: Curve) => ({
  table: "signing_keys",
  column: curve === "P256" ? "p256_private_key" : "private_key",
  id: organizationID,
});

interface NewSigningKey {
  organizationID: string;
  curve: Curve;
  now: Date;
}

export async function ensureSigningKey(
  ctx: Context,
  tx: Writer,
  { organizationID, curve, now }: NewSigningKey,
): Promise<void> {
  const existing = await tx
    .selectFrom("signing_keys")
    .select("p256_public_key")
    .where("organization_id", "=", organizationID)
    .executeTakeFirst();
  const generate = (of: Curve) => {
    const { publicKey, privateKey } = generateSigningKey(of);
    const secret = of === "P256" ? privateKey : privateKey.subarray(0, SEED_LENGTH);
    return {
      publicKey: Buffer.from(publicKey),
      privateKey: ctx.secrets.seal(Buffer.from(secret), secretPlace(organizationID, of)),
    };
  };
  if (!existing) {
    const { publicKey, privateKey } = generate("25519");
    await tx
      .insertInto("signing_keys")
      .values({
        organization_id: organizationID,
        public_key: publicKey,
        private_key: privateKey,
        created_at: now,
      })
      // Two first hosts may enroll at the same time.
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  if (curve !== "P256" || existing?.p256_public_key) return;
  const { publicKey, privateKey } = generate("P256");
  await tx
    .updateTable("signing_keys")
    .set({ p256_public_key: publicKey, p256_private_key: privateKey })
    .where("organization_id", "=", organizationID)
    .where("p256_public_key", "is", null)
    .execute();
}

async function readKey(db: Reader, organizationID: string, curve: Curve) {
  const row = await db
    .selectFrom("signing_keys")
    .select(["public_key", "private_key", "p256_public_key", "p256_private_key"])
    .where("organization_id", "=", organizationID)
    .executeTakeFirstOrThrow();
  if (curve === "25519") return { publicKey: row.public_key, privateKey: row.private_key };
  if (!row.p256_public_key || !row.p256_private_key)
    throw new Error(`${organizationID} has no signing key of curve P256`);
  return { publicKey: row.p256_public_key, privateKey: row.p256_private_key };
}

/** Keys never change, so each is decrypted once. */
export function createReplySigners(ctx: Context) {
  const signers = new Map<string, ReplySigner>();
  return async (db: Reader, organizationID: string, curve: Curve): Promise<ReplySigner> => {
    const cached = signers.get(`${organizationID} ${curve}`);
    if (cached) return cached;
    const key = await readKey(db, organizationID, curve);
    const secret = ctx.secrets.open(key.privateKey, secretPlace(organizationID, curve));
    const privateKey = curve === "P256" ? secret : Buffer.concat([secret, key.publicKey]);
    const sign = createSignFunction(privateKey, curve);
    const signer: ReplySigner = {
      trustedKeys: encodePem(BANNERS[curve], key.publicKey),
      sign: (bytes) => Buffer.from(sign(bytes)),
    };
    signers.set(`${organizationID} ${curve}`, signer);
    return signer;
  };
}
