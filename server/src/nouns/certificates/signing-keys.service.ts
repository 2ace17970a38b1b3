/**
 * The key an organization's answers to its agents are signed with: made when its first host enrolls, sealed at
 * rest. Agents are told of it when they enroll, and trust nothing else from then on.
 */
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { encodePem } from "@lightkeeper/nebula";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";

const KEY_LENGTH = 32;
/** What stands before an Ed25519 seed in DER. */
const SEED_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

export interface AnswerSigner {
  /** The PEM blocks an agent is to trust, and nothing after them. */
  trustedKeys: string;
  sign(bytes: Buffer): Buffer;
}

const place = (organizationID: string) => ({
  table: "signing_keys",
  column: "private_key",
  id: organizationID,
});

export async function ensureSigningKey(
  ctx: Context,
  tx: Writer,
  { organizationID, now }: { organizationID: string; now: Date },
): Promise<void> {
  const known = await tx
    .selectFrom("signing_keys")
    .select("organization_id")
    .where("organization_id", "=", organizationID)
    .executeTakeFirst();
  if (known) return;
  // As DER, whose end is the key: exporting fresh keys as JWK can deadlock Node 20.
  const { publicKey, privateKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { format: "der", type: "spki" },
    privateKeyEncoding: { format: "der", type: "pkcs8" },
  });
  await tx
    .insertInto("signing_keys")
    .values({
      organization_id: organizationID,
      public_key: publicKey.subarray(-KEY_LENGTH),
      private_key: ctx.secrets.seal(privateKey.subarray(-KEY_LENGTH), place(organizationID)),
      created_at: now,
    })
    // Somebody else's first host may have been quicker.
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Keys never change, so that each is opened once. */
export function createAnswerSigners(ctx: Context) {
  const signers = new Map<string, AnswerSigner>();
  return async (db: Reader, organizationID: string): Promise<AnswerSigner> => {
    const known = signers.get(organizationID);
    if (known) return known;
    const row = await db
      .selectFrom("signing_keys")
      .select(["public_key", "private_key"])
      .where("organization_id", "=", organizationID)
      .executeTakeFirstOrThrow();
    const seed = ctx.secrets.open(row.private_key, place(organizationID));
    const key = createPrivateKey({ key: Buffer.concat([SEED_PREFIX, seed]), format: "der", type: "pkcs8" });
    const signer: AnswerSigner = {
      trustedKeys: encodePem("NEBULA ED25519 PUBLIC KEY", row.public_key),
      sign: (bytes) => sign(null, bytes, key),
    };
    signers.set(organizationID, signer);
    return signer;
  };
}
