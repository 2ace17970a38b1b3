import { execFileSync } from "node:child_process";

export interface SystemUser {
  uid: number;
  gid: number;
}

/** Undefined if this program doesn't run as root, and therefore can't start processes as another user. */
export function findUser(name: string): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const readID = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: readID("-u"), gid: readID("-g") };
}
