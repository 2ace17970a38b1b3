import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConfigError, type Config } from "../config/config.ts";
import { programName } from "../config/program-name.ts";

/** Returns the configured key, or the generated one in the data directory. */
export function loadSecretKey({ secretKey, dataDir }: Pick<Config, "secretKey" | "dataDir">): Buffer {
  return secretKey ?? readOrCreateKey(secretKeyFile(dataDir));
}

export const secretKeyFile = (dataDir: string): string => join(dataDir, "secret.key");

/** Throws if another user can read the generated key; does nothing before the key exists. */
export function assertSecretKeyIsPrivate({
  secretKey,
  dataDir,
}: Pick<Config, "secretKey" | "dataDir">): void {
  const file = secretKeyFile(dataDir);
  if (!secretKey && existsSync(file)) assertPrivate(file);
}

const GROUP_AND_OTHERS = 0o077;

function assertPrivate(file: string): void {
  const ownUid = process.getuid?.();
  // Windows has neither user IDs nor modes.
  if (ownUid === undefined) return;
  const { uid, mode } = statSync(file);
  if (uid !== ownUid)
    throw new ConfigError(
      `${file} belongs to another user (user ID ${uid}; this process runs as ${ownUid}). ` +
        `Run this as the user that owns the file, or change its owner: chown ${ownUid} ${file}`,
    );
  if (mode & GROUP_AND_OTHERS)
    throw new ConfigError(
      `${file} can be used by other users of this machine (mode ${(mode & 0o777).toString(8)}). ` +
        `Run: chmod 600 ${file}. If others may have read it, also replace the key: ${programName()} rotate-secret`,
    );
}

/** Creates the file if it does not exist. */
export function readOrCreateKey(file: string): Buffer {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(temporary, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flush: true });
  try {
    // Linking is atomic: of two concurrent processes, one creates the key and both read it completely.
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(temporary);
  }
  assertPrivate(file);
  const key = Buffer.from(readFileSync(file, "utf8"), "base64");
  if (key.length !== 32) throw new ConfigError(`${file} must contain 32 bytes in base64`);
  return key;
}
