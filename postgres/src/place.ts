import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readlink, realpath, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { canEnter, chooseAccount, isRoot, ownAccount, type Account } from "./account.ts";

/**
 * PostgreSQL does not run as root, and the user that runs it for root cannot reach anything below a closed
 * directory, such as a clone in root's own home. Programs and data then live here, and the data directory
 * holds a link to them, so that the database is found again when the data directory is moved.
 */
export const SYSTEM_DIRECTORY = "/var/lib/lightkeeper";

export interface Place {
  account: Account;
  dataDirectory: string;
  /** Whether there is a cluster in it already. */
  isUsed: boolean;
}

export async function findPlace(dataDir: string): Promise<Place> {
  await mkdir(dataDir, { recursive: true });
  const home = await realpath(dataDir);
  const dataDirectory = join(home, "postgres");
  const found = await findCluster(dataDirectory);
  if (found) return usedPlace(found);
  if (!isRoot()) return { account: ownAccount(), dataDirectory, isUsed: false };

  const systemHome = join(SYSTEM_DIRECTORY, pathHash(home));
  const elsewhere = await findCluster(join(systemHome, "postgres"));
  if (elsewhere) return usedPlace(elsewhere);

  const account = await chooseAccount();
  if (await canEnter(home, account)) return { account, dataDirectory, isUsed: false };
  await makeSystemDirectory();
  await mkdir(systemHome, { recursive: true });
  await chmod(systemHome, 0o711);
  return { account, dataDirectory: join(systemHome, "postgres"), isUsed: false };
}

export async function makeSystemDirectory(): Promise<void> {
  await mkdir(SYSTEM_DIRECTORY, { recursive: true });
  await chmod(SYSTEM_DIRECTORY, 0o755);
}

export function pathHash(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 16);
}

/** Leaves the link in the data directory when the cluster lives elsewhere. */
export async function linkCluster(dataDir: string, dataDirectory: string): Promise<void> {
  const link = join(await realpath(dataDir), "postgres");
  if (link === dataDirectory) return;
  await symlink(dataDirectory, link).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

/** The real path of the cluster at this path; undefined when there is nothing, or only an empty directory. */
async function findCluster(path: string): Promise<string | undefined> {
  const entry = await lstat(path).catch(unlessMissing);
  if (!entry) return undefined;
  const real = await realpath(path).catch(unlessMissing);
  if (!real) {
    throw new Error(
      `${path} points to ${await readlink(path)}, which is not there. ` +
        "Bring the database back, or remove the link to begin with an empty one.",
    );
  }
  const names = await readdir(real);
  if (names.includes("PG_VERSION")) return real;
  if (names.length === 0) return undefined;
  throw new Error(
    `${real} is not a PostgreSQL data directory. Move it away to begin with an empty database.`,
  );
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

async function usedPlace(dataDirectory: string): Promise<Place> {
  const { uid, gid } = await stat(dataDirectory);
  if (!isRoot()) {
    if (uid === ownAccount().uid) return { account: ownAccount(), dataDirectory, isUsed: true };
    throw new Error(`${dataDirectory} belongs to the user with the number ${uid}: start as that user.`);
  }
  if (uid === 0) {
    throw new Error(
      `${dataDirectory} belongs to root, and PostgreSQL does not run as root. ` +
        `Give it to another user, for example with "chown -R postgres ${dataDirectory}".`,
    );
  }
  const account = { uid, gid };
  if (await canEnter(dataDirectory, account)) return { account, dataDirectory, isUsed: true };
  throw new Error(
    `The user with the number ${uid} owns the database in ${dataDirectory} but cannot reach it: ` +
      "a directory above it is closed to that user.",
  );
}
