/**
 * Re-encrypts all secrets with a new key, in one transaction. The new key is stored beside the current one until then,
 * so the command can be interrupted and run again.
 */
import { renameSync } from "node:fs";
import { type Config, ConfigError, readConfig } from "../infrastructure/config/config.ts";
import { createSecretBox } from "../infrastructure/crypto/secret-box.ts";
import { loadSecretKey, readOrCreateKey, secretKeyFile } from "../infrastructure/crypto/secret-key.ts";
import { migrate } from "../infrastructure/db/migrate.ts";
import { reencrypt } from "../features/transfer/sealed-columns.ts";
import { liftTimeLimits, assertNoRunningServers } from "../features/transfer/database-state.ts";
import { readArguments } from "./arguments.ts";
import { withDatabase } from "./database.ts";

export async function rotateSecretCommand(args: string[], usage: string): Promise<void> {
  readArguments(args, usage);
  const config = readConfig(process.env);
  const { key, activate } = loadNextKey(config);
  const [from, to] = [createSecretBox(loadSecretKey(config)), createSecretBox(key)];
  if (from.keyID === to.keyID) throw new ConfigError("NEW_SECRET_KEY is the same as SECRET_KEY");
  const count = await withDatabase(config, async (db) => {
    await migrate(db);
    return db.transaction().execute(async (tx) => {
      await liftTimeLimits(tx);
      await assertNoRunningServers(tx);
      return reencrypt(tx, from, to);
    });
  });
  const instruction = activate();
  process.stdout.write(
    `Re-encrypted ${count} values with the new key. ${instruction} Earlier exports still need the old key.\n`,
  );
}

interface NextKey {
  key: Buffer;
  /** Makes the key the current one; returns what is left to do. */
  activate: () => string;
}

function loadNextKey({ secretKey, dataDir }: Config): NextKey {
  if (secretKey) {
    const key = Buffer.from(process.env.NEW_SECRET_KEY ?? "", "base64");
    if (key.length !== 32)
      throw new ConfigError("NEW_SECRET_KEY must be 32 bytes in base64, because SECRET_KEY is set");
    return { key, activate: () => "Set SECRET_KEY to the new key before you start the server." };
  }
  const file = secretKeyFile(dataDir);
  const next = `${file}.next`;
  return {
    key: readOrCreateKey(next),
    activate: () => {
      renameSync(next, file);
      return `The new key is in ${file}.`;
    },
  };
}
