import { chmod, lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changeOwner, currentAccount, type Account } from "./account.ts";
import { pathHash } from "./cluster-location.ts";

export const PORT = 5432;

/** The longest socket path that every supported system accepts. */
const LONGEST_SOCKET_PATH = 103;

export function chooseSocketDirectory(dataDirectory: string): string {
  const name = `lightkeeper-${pathHash(dataDirectory)}`;
  const candidates = [`${dataDirectory}-run`, join(tmpdir(), name), join("/tmp", name)];
  const fits = (directory: string) =>
    Buffer.byteLength(join(directory, `.s.PGSQL.${PORT}`)) <= LONGEST_SOCKET_PATH;
  return candidates.find(fits) ?? join("/tmp", name);
}

export async function createSocketDirectory(directory: string, account: Account): Promise<void> {
  await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await assertSocketDirectory(directory, account);
  await chmod(directory, 0o700);
  await changeOwner(account, directory);
}

/**
 * Connections have no password, so access to this directory is the only authentication: a directory that another user
 * owns or can write to is rejected.
 */
export async function assertSocketDirectory(directory: string, account: Account): Promise<void> {
  const stats = await lstat(directory);
  const isPrivate = (stats.mode & 0o022) === 0;
  const isOwned = stats.uid === account.uid || stats.uid === currentAccount().uid;
  if (stats.isDirectory() && isPrivate && isOwned) return;
  throw new Error(
    `${directory} must be a directory that only the user of the database can write to. Remove it and start again.`,
  );
}
