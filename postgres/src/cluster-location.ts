import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readlink, realpath, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { canEnter, chooseAccount, isRoot, currentAccount, type Account } from "./account.ts";

/**
 * PostgreSQL can't run as root, and the user that runs it for root can't access files below a private directory, such
 * as a clone in root's home. Programs and data are then stored here, and the data directory has a link to them, so that
 * the database is found after the data directory is moved.
 */
export const SYSTEM_DIRECTORY = "/var/lib/lightkeeper";

export interface ClusterLocation {
  account: Account;
  dataDirectory: string;
  /** Whether the directory already has a cluster. */
  isInitialized: boolean;
}

export async function findClusterLocation(dataDir: string): Promise<ClusterLocation> {
  await mkdir(dataDir, { recursive: true });
  const home = await realpath(dataDir);
  const dataDirectory = join(home, "postgres");
  const existing = await findCluster(dataDirectory);
  if (existing) return locateExisting(existing);
  if (!isRoot()) return { account: currentAccount(), dataDirectory, isInitialized: false };

  const systemHome = join(SYSTEM_DIRECTORY, pathHash(home));
  const existingInSystem = await findCluster(join(systemHome, "postgres"));
  if (existingInSystem) return locateExisting(existingInSystem);

  const account = await chooseAccount();
  if (await canEnter(home, account)) return { account, dataDirectory, isInitialized: false };
  await createSystemDirectory();
  await mkdir(systemHome, { recursive: true });
  await chmod(systemHome, 0o711);
  return { account, dataDirectory: join(systemHome, "postgres"), isInitialized: false };
}

export async function createSystemDirectory(): Promise<void> {
  await mkdir(SYSTEM_DIRECTORY, { recursive: true });
  await chmod(SYSTEM_DIRECTORY, 0o755);
}

export function pathHash(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 16);
}

/** Creates the link in the data directory if the cluster is in the system directory. */
export async function linkCluster(dataDir: string, dataDirectory: string): Promise<void> {
  const link = join(await realpath(dataDir), "postgres");
  if (link === dataDirectory) return;
  await symlink(dataDirectory, link).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

/** Returns the real path of the cluster; undefined if the path doesn't exist or is an empty directory. */
async function findCluster(path: string): Promise<string | undefined> {
  const entry = await lstat(path).catch(ignoreMissing);
  if (!entry) return undefined;
  const real = await realpath(path).catch(ignoreMissing);
  if (!real) {
    throw new Error(
      `${path} points to ${await readlink(path)}, which doesn't exist. ` +
        "Restore the database, or remove the link to start with an empty one.",
    );
  }
  const names = await readdir(real);
  if (names.includes("PG_VERSION")) return real;
  if (names.length === 0) return undefined;
  throw new Error(`${real} isn't a PostgreSQL data directory. Move it away to start with an empty database.`);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

async function locateExisting(dataDirectory: string): Promise<ClusterLocation> {
  const { uid, gid } = await stat(dataDirectory);
  if (!isRoot()) {
    if (uid === currentAccount().uid)
      return { account: currentAccount(), dataDirectory, isInitialized: true };
    throw new Error(`${dataDirectory} belongs to the user with ID ${uid}. Start as that user.`);
  }
  if (uid === 0) {
    throw new Error(
      `${dataDirectory} belongs to root, and PostgreSQL can't run as root. ` +
        `Change its owner, for example with "chown -R postgres ${dataDirectory}".`,
    );
  }
  const account = { uid, gid };
  if (await canEnter(dataDirectory, account)) return { account, dataDirectory, isInitialized: true };
  throw new Error(
    `The user with ID ${uid} owns the database in ${dataDirectory} but can't access it. ` +
      "Allow that user to enter all directories above it.",
  );
}
