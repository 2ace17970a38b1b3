import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isAlive } from "./is-alive.ts";
import { HOUR_MS } from "./durations.ts";

const LEFTOVER_AGE_MS = HOUR_MS;
const inProgress = new Set<string>();

/**
 * Creates a directory atomically: it's filled under a temporary name and renamed. If two processes create it at the same
 * time, the first to finish wins and the other discards its copy.
 */
export async function createDirectoryOnce(
  path: string,
  fill: (temporary: string) => Promise<void>,
): Promise<void> {
  await removeLeftovers(path);
  const temporary = `${path}.part-${process.pid}-${randomBytes(4).toString("hex")}`;
  inProgress.add(temporary);
  try {
    await mkdir(temporary, { mode: 0o700 });
    await fill(temporary);
    await rename(temporary, path).catch(ignoreExisting);
    await syncDirectory(dirname(path));
  } finally {
    await removeDirectory(temporary);
    inProgress.delete(temporary);
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
}

async function removeLeftovers(path: string): Promise<void> {
  const prefix = `${basename(path)}.part-`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const leftover = join(dirname(path), name);
    const creatorPid = Number.parseInt(name.slice(prefix.length), 10);
    const information = await stat(leftover).catch(() => undefined);
    const isOld = information !== undefined && Date.now() - information.mtimeMs > LEFTOVER_AGE_MS;
    const isBusy = creatorPid === process.pid ? inProgress.has(leftover) : isAlive(creatorPid);
    if (isOld || !isBusy) await removeDirectory(leftover);
  }
}

/** Ignores errors: an initdb whose parent was killed may still be writing, and the next start tries again. */
async function removeDirectory(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
