import { chmod, lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { giveTo, ownAccount, type Account } from "./account.ts";
import { pathHash } from "./place.ts";

export const PORT = 5432;

/** What every supported system takes as the path of a socket; Linux would take four bytes more. */
const LONGEST_SOCKET_PATH = 103;

export function chooseSocketDirectory(dataDirectory: string): string {
  const name = `lightkeeper-${pathHash(dataDirectory)}`;
  const candidates = [`${dataDirectory}-run`, join(tmpdir(), name), join("/tmp", name)];
  const fits = (directory: string) =>
    Buffer.byteLength(join(directory, `.s.PGSQL.${PORT}`)) <= LONGEST_SOCKET_PATH;
  return candidates.find(fits) ?? join("/tmp", name);
}

export async function makeSocketDirectory(directory: string, account: Account): Promise<void> {
  await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await checkSocketDirectory(directory, account);
  await chmod(directory, 0o700);
  await giveTo(account, directory);
}

/**
 * Connections ask for no password, neither we the server nor the server us, so this directory is the lock
 * on the door: one that somebody else made or can write to is refused.
 */
export async function checkSocketDirectory(directory: string, account: Account): Promise<void> {
  const found = await lstat(directory);
  const isClosed = (found.mode & 0o022) === 0;
  const isOurs = found.uid === account.uid || found.uid === ownAccount().uid;
  if (found.isDirectory() && isClosed && isOurs) return;
  throw new Error(
    `${directory} is not a directory that only the user of the database can write to. Remove it and start again.`,
  );
}
