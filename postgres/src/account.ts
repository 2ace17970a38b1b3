import { execFile } from "node:child_process";
import { chown, readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The user that runs PostgreSQL: the current user, or another one if we are root, which PostgreSQL rejects. */
export interface Account {
  uid: number;
  gid: number;
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

export function currentAccount(): Account {
  return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
}

/** Chooses the account for a new cluster if we are root. initdb requires an entry in /etc/passwd. */
export async function chooseAccount(): Promise<Account> {
  const accounts = new Map<string, Account>();
  for (const line of (await readFile("/etc/passwd", "utf8")).split("\n")) {
    const [name = "", , uid, gid] = line.split(":");
    accounts.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  const account = accounts.get("lightkeeper") ?? accounts.get("postgres") ?? accounts.get("nobody");
  if (!account) {
    throw new Error(
      "PostgreSQL can't run as root, and there is no user lightkeeper, postgres or nobody. " +
        "Add a user lightkeeper, start as an ordinary user, or set DATABASE_URL.",
    );
  }
  return account;
}

/**
 * Options to start a PostgreSQL program, without our environment, which may contain secrets. Only root changes the user:
 * a hardened service may not even change to its own.
 */
export function runAs(account: Account) {
  return { ...(isRoot() ? account : {}), cwd: "/", env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" } };
}

/** Tries it, because file modes aren't enough (access lists, mounts, containers). */
export async function canEnter(directory: string, account: Account): Promise<boolean> {
  try {
    await run("/bin/sh", ["-c", 'cd "$1"', "sh", directory], runAs(account));
    return true;
  } catch {
    return false;
  }
}

export async function changeOwner(account: Account, path: string): Promise<void> {
  if (isRoot()) await chown(path, account.uid, account.gid);
}
