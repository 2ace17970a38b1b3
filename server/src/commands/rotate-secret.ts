/**
 * Another key for everything that is sealed. The next key is kept beside the one in use until everything is sealed
 * with it, which happens at once; broken off at any moment, the command goes on where it was when it is run again.
 */
import { renameSync } from "node:fs";
import { type Config, ConfigError, readConfig } from "../infrastructure/config/config.ts";
import { createSecretBox } from "../infrastructure/crypto/secret-box.ts";
import { loadSecretKey, readOrCreateKey, secretKeyFile } from "../infrastructure/crypto/secret-key.ts";
import { migrate } from "../infrastructure/db/migrate.ts";
import { rewrap } from "../features/transfer/sealed-columns.ts";
import { liftTimeLimits, refuseRunningServers } from "../features/transfer/state.ts";
import { readArguments } from "./arguments.ts";
import { withDatabase } from "./database.ts";

export async function rotateSecretCommand(args: string[], usage: string): Promise<void> {
  readArguments(args, usage);
  const config = readConfig(process.env);
  const { key, use } = nextKey(config);
  const [from, to] = [createSecretBox(loadSecretKey(config)), createSecretBox(key)];
  if (from.keyID === to.keyID) throw new ConfigError("NEW_SECRET_KEY is the SECRET_KEY in use");
  const count = await withDatabase(config, async (db) => {
    await migrate(db);
    return db.transaction().execute(async (tx) => {
      await liftTimeLimits(tx);
      await refuseRunningServers(tx);
      return rewrap(tx, from, to);
    });
  });
  const next = use();
  process.stdout.write(
    `Sealed ${count} values with the new key. ${next} Exports made until now open with the old key only.\n`,
  );
}

interface NextKey {
  key: Buffer;
  /** Puts it in its place, once everything is sealed with it; says what is left to do. */
  use: () => string;
}

function nextKey({ secretKey, dataDir }: Config): NextKey {
  if (secretKey) {
    const key = Buffer.from(process.env.NEW_SECRET_KEY ?? "", "base64");
    if (key.length !== 32)
      throw new ConfigError("NEW_SECRET_KEY must be 32 bytes in base64, for SECRET_KEY is set");
    return { key, use: () => "Set SECRET_KEY to it before you start the server." };
  }
  const file = secretKeyFile(dataDir);
  const next = `${file}.next`;
  return {
    key: readOrCreateKey(next),
    use: () => {
      renameSync(next, file);
      return `It is in ${file}.`;
    },
  };
}
