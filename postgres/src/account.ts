import { execFile } from "node:child_process";
import { chown, readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Whom PostgreSQL runs as: ourselves, or somebody else when we are root, because PostgreSQL refuses root. */
export interface Account {
  uid: number;
  gid: number;
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

export function ownAccount(): Account {
  return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
}

/** The account for a new cluster when we are root. initdb insists on an entry in /etc/passwd. */
export async function chooseAccount(): Promise<Account> {
  const accounts = new Map<string, Account>();
  for (const line of (await readFile("/etc/passwd", "utf8")).split("\n")) {
    const [name = "", , uid, gid] = line.split(":");
    accounts.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  const account = accounts.get("lightkeeper") ?? accounts.get("postgres") ?? accounts.get("nobody");
  if (!account) {
    throw new Error(
      "PostgreSQL does not run as root, and there is no user lightkeeper, postgres or nobody to run it: " +
        "add a user lightkeeper, start as an ordinary user, or set DATABASE_URL.",
    );
  }
  return account;
}

/** How a PostgreSQL program is started: nothing of our environment, which may hold secrets, reaches it. */
export function runAs(account: Account) {
  return { ...account, cwd: "/", env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" } };
}

/** Tries for real: modes alone do not tell (access lists, mounts, containers). */
export async function canEnter(directory: string, account: Account): Promise<boolean> {
  try {
    await run("/bin/sh", ["-c", 'cd "$1"', "sh", directory], runAs(account));
    return true;
  } catch {
    return false;
  }
}

export async function giveTo(account: Account, path: string): Promise<void> {
  if (isRoot()) await chown(path, account.uid, account.gid);
}
