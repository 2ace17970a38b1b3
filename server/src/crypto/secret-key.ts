import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConfigError, type Config } from "../config.ts";

/** The configured key, or the one made once in the data directory. */
export function loadSecretKey({ secretKey, dataDir }: Pick<Config, "secretKey" | "dataDir">): Buffer {
  return secretKey ?? readOrMakeKey(secretKeyFile(dataDir));
}

export const secretKeyFile = (dataDir: string): string => join(dataDir, "secret.key");

/** The key in the file, which is made if there is none. */
export function readOrMakeKey(file: string): Buffer {
  mkdirSync(dirname(file), { recursive: true });
  const own = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(own, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flush: true });
  try {
    // Of two processes that start at once, one makes the key and both read it, whole.
    linkSync(own, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(own);
  }
  const key = Buffer.from(readFileSync(file, "utf8"), "base64");
  if (key.length !== 32) throw new ConfigError(`${file} must hold 32 bytes in base64`);
  return key;
}
