import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");

export interface NextServer {
  program: string;
  remove: () => void;
}

/** A later version of the server, with one more migration. Built inside the project, where Node.js finds the dependencies. */
export function buildNextServer(): NextServer {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, ".cache/next-server-"));
  execFileSync(process.execPath, [join(import.meta.dirname, "build-next-server.mjs"), folder], { cwd: ROOT });
  return { program: join(folder, "main.js"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
