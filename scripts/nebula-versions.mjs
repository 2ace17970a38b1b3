/**
 * Finds nebula and nebula-cert in every tested version: the installed one of Debian 12, and those of two later suites,
 * which are downloaded to .cache/nebula/{version}. The download uses the machine's apt mirror and a private apt
 * directory: apt checks signatures and hashes, and the system isn't changed.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const cache = resolve(import.meta.dirname, "../.cache/nebula");
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
const installed = { version: "1.6.1", folder: "/usr/bin" };
const suites = [
  { name: "trixie", oldest: "1.9.3" },
  { name: "sid", oldest: "1.11.0" },
];

/** Oldest first. Throws if a version is missing and can't be downloaded. */
export async function nebulaBinaries() {
  const binaries = [await binariesIn(installed.folder)];
  if (binaries[0].version !== installed.version)
    throw new Error(
      `The tests need nebula ${installed.version} from Debian 12, but ${installed.folder} has ${binaries[0].version}.`,
    );
  for (const suite of suites) binaries.push(await binariesOf(suite));
  return binaries;
}

async function binariesIn(folder) {
  const [nebula, nebulaCert] = [join(folder, "nebula"), join(folder, "nebula-cert")];
  const missing = [nebula, nebulaCert].find((file) => !existsSync(file));
  if (missing !== undefined)
    throw new Error(`The tests need ${missing}. On Debian 12, as root: apt-get install -y nebula`);
  const { stdout } = await run(nebula, ["-version"]);
  const version = /^Version: (\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${nebula} -version prints no version.`);
  return { version, nebula, nebulaCert };
}

async function binariesOf(suite) {
  const link = join(cache, suite.name);
  if (!existsSync(join(link, "nebula-cert"))) await fetchSuite(suite, link);
  const binaries = await binariesIn(link);
  if (binaries.version.localeCompare(suite.oldest, "en", { numeric: true }) < 0)
    throw new Error(
      `The tests need nebula ${suite.oldest} or newer, but ${suite.name} has ${binaries.version}.`,
    );
  return binaries;
}

/** Uses a temporary folder and renames it at the end, so that parallel calls don't conflict. */
async function fetchSuite(suite, link) {
  process.stderr.write(`Downloading nebula from Debian ${suite.name} for the tests…\n`);
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, "fetching-"));
  try {
    const unpacked = join(work, "unpacked");
    await run("dpkg", ["-x", await download(suite, work), unpacked]);
    const { version } = await binariesIn(join(unpacked, "usr/bin"));
    await rename(join(unpacked, "usr/bin"), join(cache, version)).catch(acceptExisting);
    await symlink(version, join(work, "link"));
    await rename(join(work, "link"), link);
  } catch (error) {
    const reason = error.stderr?.trim() || error.message;
    throw new Error(`Can't download nebula from Debian ${suite.name}: ${reason}`, { cause: error });
  } finally {
    await rm(work, { recursive: true });
  }
}

function acceptExisting(error) {
  if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
}

async function download(suite, work) {
  const apt = join(work, "apt");
  for (const folder of ["lists/partial", "archives/partial", "sources"])
    await mkdir(join(apt, folder), { recursive: true });
  await writeFile(join(apt, "status"), "");
  await writeFile(
    join(apt, "sources/private.sources"),
    `Types: deb\nURIs: ${await mirror()}\nSuites: ${suite.name}\nComponents: main\nSigned-By: ${keyring}\n`,
  );
  const settings = [
    "Dir::Etc::sourcelist=/dev/null",
    `Dir::Etc::sourceparts=${join(apt, "sources")}`,
    `Dir::State=${apt}`,
    `Dir::State::lists=${join(apt, "lists")}`,
    `Dir::State::status=${join(apt, "status")}`,
    `Dir::Cache=${apt}`,
    "Acquire::Languages=none",
    "Acquire::Retries=3",
    "APT::Sandbox::User=",
    "APT::Update::Error-Mode=any",
  ].flatMap((setting) => ["-o", setting]);
  await run("apt-get", [...settings, "-qq", "update"], { cwd: work });
  await run("apt-get", [...settings, "-qq", "download", "nebula"], { cwd: work });
  const file = (await readdir(work)).find((name) => name.endsWith(".deb"));
  if (file === undefined) throw new Error("apt downloaded nothing.");
  return join(work, file);
}

/** The mirror of the machine's own release. */
async function mirror() {
  const release = /^VERSION_CODENAME=(\w+)/m.exec(await readFile("/etc/os-release", "utf8"))?.[1];
  const { stdout } = await run("apt-get", ["update", "--print-uris"]);
  const uri = new RegExp(`^'(\\S+)/dists/${release}/InRelease'`, "m").exec(stdout)?.[1];
  if (uri === undefined) throw new Error(`apt has no source for ${release}.`);
  return uri;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    for (const { version, nebula } of await nebulaBinaries()) process.stdout.write(`${version} ${nebula}\n`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
