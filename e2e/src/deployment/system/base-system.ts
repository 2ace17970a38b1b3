/** A Debian 13 with systemd, created with debootstrap once and kept in .cache/deployment. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../deploy-files.ts";

const SUITE = "trixie";
const CACHE = join(ROOT, ".cache/deployment");
const ARCHIVE = join(CACHE, `${SUITE}.tar`);

/** The mirror of the machine's own release. */
function findMirror(): string {
  const release = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
  const filters = ["Created-By: Packages", `Release: ${release}`];
  const args = ["indextargets", "--format", "$(REPO_URI)", ...filters];
  const [uri] = execFileSync("apt-get", args, { encoding: "utf8" }).split("\n");
  if (!uri) throw new Error(`apt has no source for ${release}.`);
  return uri;
}

const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: "pipe" });

/** Returns the path of the archive. */
export function createBaseSystem(): string {
  if (existsSync(ARCHIVE)) return ARCHIVE;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "bootstrapping-"));
  try {
    const root = join(folder, "root");
    const packages = "--include=ca-certificates,systemd,systemd-sysv";
    run("debootstrap", "--variant=minbase", packages, SUITE, root, findMirror());
    run("tar", "--directory", root, "--create", "--file", `${folder}/root.tar`, ".");
    renameSync(`${folder}/root.tar`, ARCHIVE);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return ARCHIVE;
}

/** Unpacks the system into a new directory. */
export function unpackBaseSystem(): string {
  const archive = createBaseSystem();
  const root = mkdtempSync(join(CACHE, "system-"));
  run("tar", "--directory", root, "--extract", "--file", archive);
  run("chmod", "755", root);
  return root;
}
