/** The Debian packages, built with the project's own script. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { ROOT } from "../deploy-files.ts";

export interface BuiltPackages {
  server: string;
  agent: string;
}

/** Builds both packages into a new directory. */
export function buildPackages(): BuiltPackages {
  const output = mkdtempSync(join(tmpdir(), "lightkeeper-packages-"));
  const script = join(ROOT, "scripts/build-packages.mjs");
  execFileSync(process.execPath, [script, "--output", output], { stdio: "pipe" });
  const find = (prefix: string) =>
    join(
      output,
      readdirSync(output).find((file) => file.startsWith(prefix))!,
    );
  return { server: find("lightkeeper_"), agent: find("lightkeeper-agent_") };
}

export const removePackages = ({ server }: BuiltPackages) => rmSync(dirname(server), { recursive: true });

export const hashOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

/** Copies a package to root's home in a system. */
export function copyPackage(file: string, root: string): void {
  copyFileSync(file, join(root, "root", basename(file)));
}

/** Writes the same package with a higher version next to it, and returns its path. */
export function createNewerPackage(file: string): string {
  const tree = mkdtempSync(join(tmpdir(), "lightkeeper-newer-"));
  const control = join(tree, "DEBIAN/control");
  const newer = file.replace(/_([\d.]+)_/, "_$1+newer_");
  try {
    execFileSync("dpkg-deb", ["--raw-extract", file, tree]);
    writeFileSync(control, readFileSync(control, "utf8").replace(/^Version: .+$/m, "$&+newer"));
    execFileSync("dpkg-deb", ["--root-owner-group", "-Znone", "--build", tree, newer], { stdio: "pipe" });
  } finally {
    rmSync(tree, { recursive: true });
  }
  return newer;
}
