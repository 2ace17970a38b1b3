import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isAlive } from "./is-alive.ts";

const LEFTOVER_AGE_MS = 60 * 60 * 1000;
const underWay = new Set<string>();

/**
 * Makes a directory that is either complete or not there: it is filled under another name and renamed.
 * When two processes make it at the same moment, the first to finish wins and the other discards its own.
 */
export async function makeDirectoryOnce(
  path: string,
  fill: (temporary: string) => Promise<void>,
): Promise<void> {
  await removeLeftovers(path);
  const temporary = `${path}.part-${process.pid}-${randomBytes(4).toString("hex")}`;
  underWay.add(temporary);
  try {
    await mkdir(temporary, { mode: 0o700 });
    await fill(temporary);
    await rename(temporary, path).catch(unlessMadeByAnother);
    await syncDirectory(dirname(path));
  } finally {
    await removeDirectory(temporary);
    underWay.delete(temporary);
  }
}

function unlessMadeByAnother(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
}

async function removeLeftovers(path: string): Promise<void> {
  const prefix = `${basename(path)}.part-`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const leftover = join(dirname(path), name);
    const maker = Number.parseInt(name.slice(prefix.length), 10);
    const information = await stat(leftover).catch(() => undefined);
    const isOld = information !== undefined && Date.now() - information.mtimeMs > LEFTOVER_AGE_MS;
    const isBusy = maker === process.pid ? underWay.has(leftover) : isAlive(maker);
    if (isOld || !isBusy) await removeDirectory(leftover);
  }
}

/** An initdb whose starter was killed may still be writing: what cannot be removed now goes another time. */
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
