import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { changeOwner, runAs, type Account } from "./account.ts";
import { findBinaries, type Binaries } from "./binaries.ts";
import { createDirectoryOnce } from "./create-directory.ts";
import { findClusterLocation, linkCluster } from "./cluster-location.ts";
import { chooseSocketDirectory } from "./socket-directory.ts";

export const SUPERUSER = "lightkeeper";
const run = promisify(execFile);

export interface Cluster {
  account: Account;
  binaries: Binaries;
  dataDirectory: string;
  socketDirectory: string;
  logFile: string;
  /** Without durability, for test clusters only. */
  isFast: boolean;
}

/** Finds or creates the cluster of a data directory, without starting it. */
export async function prepareCluster(dataDir: string, isFast: boolean): Promise<Cluster> {
  const location = await findClusterLocation(dataDir);
  const binaries = await findBinaries(location);
  const cluster: Cluster = {
    account: location.account,
    binaries,
    dataDirectory: location.dataDirectory,
    socketDirectory: chooseSocketDirectory(location.dataDirectory),
    logFile: join(dataDir, "postgres.log"),
    isFast,
  };
  if (!location.isInitialized) await initializeCluster(cluster);
  await assertMajorVersion(cluster);
  await linkCluster(dataDir, cluster.dataDirectory);
  return cluster;
}

async function initializeCluster({ account, binaries, dataDirectory, isFast }: Cluster): Promise<void> {
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
  await createDirectoryOnce(dataDirectory, async (temporary) => {
    await changeOwner(account, temporary);
    await run(binaries.initdb, [...settings, "-D", temporary], runAs(account));
  });
}

async function assertMajorVersion({ binaries, dataDirectory }: Cluster): Promise<void> {
  const clusterVersion = (await readFile(join(dataDirectory, "PG_VERSION"), "utf8")).trim();
  const [programVersion] = binaries.version.split(".");
  if (clusterVersion === programVersion) return;
  throw new Error(
    `The database in ${dataDirectory} was created by PostgreSQL ${clusterVersion}, but this release has PostgreSQL ${programVersion}. ` +
      "Export it with the release that created it and import it into an empty data directory.",
  );
}
