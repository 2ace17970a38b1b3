import { open, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { systemTime } from "../infrastructure/time/clock.ts";
import { ConfigError, readConfig } from "../infrastructure/config/config.ts";
import { createSecretBox } from "../infrastructure/crypto/secret-box.ts";
import { loadSecretKey } from "../infrastructure/crypto/secret-key.ts";
import { exportTo } from "../features/transfer/export.ts";
import { version } from "../infrastructure/config/version.ts";
import { readArguments } from "./arguments.ts";
import { withDatabase } from "./database.ts";

export async function exportCommand(args: string[], usage: string): Promise<void> {
  const [operand = ""] = readArguments(args, usage).operands;
  const config = readConfig(process.env);
  const { keyID } = createSecretBox(loadSecretKey(config));
  const path = resolve(operand);
  // Renamed when complete, so that a file with the final name is always a complete export.
  const temporary = `${path}.part-${process.pid}`;
  const file = await open(temporary, "w", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`Can’t write ${path}: ${error.code}`);
  });
  try {
    const rows = await withDatabase(config, (db) =>
      exportTo(db, file.createWriteStream({ flush: true }), { keyID, version, now: systemTime() }),
    );
    await rename(temporary, path);
    process.stdout.write(
      `Exported ${rows} rows to ${path}. Keep the SECRET_KEY: the export can’t be used without it.\n`,
    );
  } finally {
    await file.close();
    await rm(temporary, { force: true });
  }
}
