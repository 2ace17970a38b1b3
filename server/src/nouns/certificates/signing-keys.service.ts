/**
 * The key that signs an organization's replies to its agents. It is created when the first host enrolls and stored
 * encrypted. Agents receive it at enrollment and trust no other key.
 */
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { encodePem } from "@lightkeeper/nebula";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";

const KEY_LENGTH = 32;
/** The DER bytes before an Ed25519 seed. */
const SEED_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

export interface ReplySigner {
  /** The PEM blocks that an agent trusts, without anything after them. */
  trustedKeys: string;
  sign(bytes: Buffer): Buffer;
}

const secretPlace = (organizationID: string) => ({
  table: "signing_keys",
  column: "private_key",
  id: organizationID,
});

export async function ensureSigningKey(
  ctx: Context,
  tx: Writer,
  { organizationID, now }: { organizationID: string; now: Date },
): Promise<void> {
  const existing = await tx
    .selectFrom("signing_keys")
    .select("organization_id")
    .where("organization_id", "=", organizationID)
    .executeTakeFirst();
  if (existing) return;
  // DER ends with the key. Exporting new keys as JWK can deadlock Node 20.
  const { publicKey, privateKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { format: "der", type: "spki" },
    privateKeyEncoding: { format: "der", type: "pkcs8" },
  });
  await tx
    .insertInto("signing_keys")
    .values({
      organization_id: organizationID,
      public_key: publicKey.subarray(-KEY_LENGTH),
      private_key: ctx.secrets.seal(privateKey.subarray(-KEY_LENGTH), secretPlace(organizationID)),
      created_at: now,
    })
    // Two first hosts may enroll at the same time.
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Keys never change, so each is decrypted once. */
export function createReplySigners(ctx: Context) {
  const signers = new Map<string, ReplySigner>();
  return async (db: Reader, organizationID: string): Promise<ReplySigner> => {
    const cached = signers.get(organizationID);
    if (cached) return cached;
    const row = await db
      .selectFrom("signing_keys")
      .select(["public_key", "private_key"])
      .where("organization_id", "=", organizationID)
      .executeTakeFirstOrThrow();
    const seed = ctx.secrets.open(row.private_key, secretPlace(organizationID));
    const key = createPrivateKey({ key: Buffer.concat([SEED_PREFIX, seed]), format: "der", type: "pkcs8" });
    const signer: ReplySigner = {
      trustedKeys: encodePem("NEBULA ED25519 PUBLIC KEY", row.public_key),
      sign: (bytes) => sign(null, bytes, key),
    };
    signers.set(organizationID, signer);
    return signer;
  };
}
