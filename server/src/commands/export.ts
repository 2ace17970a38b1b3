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
  // A file by that name is a whole export, whatever happens here.
  const part = `${path}.part-${process.pid}`;
  const file = await open(part, "w", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`${path} cannot be written: ${error.code}`);
  });
  try {
    const rows = await withDatabase(config, (db) =>
      exportTo(db, file.createWriteStream({ flush: true }), { keyID, version, now: systemTime() }),
    );
    await rename(part, path);
    process.stdout.write(`Exported ${rows} rows to ${path}. It opens with the same SECRET_KEY only.\n`);
  } finally {
    await file.close();
    await rm(part, { force: true });
  }
}
