/** On a public server, creating the first account requires a code that only the operator sees. */
import type { Config } from "../../infrastructure/config/config.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { hashReadableCode, newReadableCode } from "../../infrastructure/crypto/readable-codes.ts";
import { areHashesEqual } from "../../infrastructure/crypto/tokens.ts";
import type { Reader } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";

export async function hasUsers(db: Reader): Promise<boolean> {
  return (await db.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined;
}

async function isSetupCodeRequired({ appEnv, signup }: Config, db: Reader): Promise<boolean> {
  return appEnv !== "local" && signup !== "closed" && !(await hasUsers(db));
}

/** Creates a code that replaces the earlier one; returns undefined if no code is required. */
export async function createSetupCode({
  config,
  reader,
  unaudited,
  clock,
}: Context): Promise<string | undefined> {
  if (!(await isSetupCodeRequired(config, reader))) return undefined;
  const code = newReadableCode();
  const row = { code_hash: hashReadableCode(code), created_at: clock() };
  await unaudited
    .insertInto("setup_codes")
    .values({ ...row, id: true })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
  return code;
}

/** Throws unless this is the hash of the current code, or no code is required. */
export async function requireCurrentSetupCode(
  config: Config,
  db: Reader,
  codeHash: Buffer | null,
): Promise<void> {
  if (!(await isSetupCodeRequired(config, db))) return;
  const current = await db.selectFrom("setup_codes").select("code_hash").executeTakeFirst();
  if (!current || !codeHash || !areHashesEqual(current.code_hash, codeHash))
    throw new ApiError("ERR_INVALID_SETUP_CODE", { path: "setupCode" });
}

/** Checks the code of a sign-up request; returns its hash, which is checked again when the account is created. */
export async function requireSetupCode(ctx: Context, code: string | undefined): Promise<Buffer | null> {
  const codeHash = code ? hashReadableCode(code) : null;
  await requireCurrentSetupCode(ctx.config, ctx.reader, codeHash);
  return codeHash;
}
