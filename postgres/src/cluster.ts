import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { giveTo, runAs, type Account } from "./account.ts";
import { findBinaries, type Binaries } from "./binaries.ts";
import { makeDirectoryOnce } from "./make-directory.ts";
import { findPlace, linkCluster } from "./place.ts";
import { chooseSocketDirectory } from "./socket-directory.ts";

export const SUPERUSER = "lightkeeper";
const run = promisify(execFile);

export interface Cluster {
  account: Account;
  binaries: Binaries;
  dataDirectory: string;
  socketDirectory: string;
  logFile: string;
  /** Gives up durability: for test clusters only. */
  isFast: boolean;
}

/** Finds the cluster of a data directory, or makes it. Does not start it. */
export async function prepareCluster(dataDir: string, isFast: boolean): Promise<Cluster> {
  const place = await findPlace(dataDir);
  const binaries = await findBinaries(place);
  const cluster: Cluster = {
    account: place.account,
    binaries,
    dataDirectory: place.dataDirectory,
    socketDirectory: chooseSocketDirectory(place.dataDirectory),
    logFile: join(dataDir, "postgres.log"),
    isFast,
  };
  if (!place.isUsed) await initialise(cluster);
  await checkMajorVersion(cluster);
  await linkCluster(dataDir, cluster.dataDirectory);
  return cluster;
}

async function initialise({ account, binaries, dataDirectory, isFast }: Cluster): Promise<void> {
  const settings = [
    `--username=${SUPERUSER}`,
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
    "--auth-local=trust",
    "--auth-host=reject",
    "--no-instructions",
    ...(isFast ? ["--no-sync"] : []),
  ];
  await makeDirectoryOnce(dataDirectory, async (temporary) => {
    await giveTo(account, temporary);
    await run(binaries.initdb, [...settings, "-D", temporary], runAs(account));
  });
}

async function checkMajorVersion({ binaries, dataDirectory }: Cluster): Promise<void> {
  const found = (await readFile(join(dataDirectory, "PG_VERSION"), "utf8")).trim();
  const [ours] = binaries.version.split(".");
  if (found === ours) return;
  throw new Error(
    `The database in ${dataDirectory} was made by PostgreSQL ${found}, and this release brings PostgreSQL ${ours}. ` +
      "Export it with the release that made it and import it into an empty data directory.",
  );
}
