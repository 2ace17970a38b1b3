/**
 * Prepares a clone: installs dependencies and builds what has changed. With --tests or --deployment, also installs
 * the system packages for the tests or for npm run deploy:check. Requires Node.js and npm only.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19))
  fail(`Lightkeeper requires Node.js 20.19 or newer (this is ${process.versions.node}).`);

function run(command, args, options = {}) {
  try {
    execFileSync(command, args, { stdio: "inherit", ...options });
  } catch (error) {
    fail(
      `${command} ${args.join(" ")} failed${error.status ? ` (exit ${error.status})` : `: ${error.message}`}`,
    );
  }
}

const hashOf = (...parts) =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex");

/** Runs npm ci only if the lockfile has changed: it empties node_modules, which a running server may use. */
function install() {
  const lockfileHash = hashOf(readFileSync("package-lock.json"), process.version, process.arch);
  const marker = "node_modules/.lightkeeper-installed";
  if (existsSync(marker) && readFileSync(marker, "utf8") === lockfileHash) return;
  process.stdout.write("Installing dependencies…\n");
  const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  // Errors are printed to standard error; the rest is progress.
  run("npm", args, { stdio: ["inherit", "ignore", "inherit"] });
  writeFileSync(marker, lockfileHash);
}

const testPackages = [
  { package: "chromium-headless-shell", file: "/usr/bin/chromium-headless-shell" },
  { package: "nebula", file: "/usr/bin/nebula-cert" },
  { package: "iproute2", file: "/usr/sbin/ip" },
  { package: "iputils-ping", file: "/usr/bin/ping" },
  { package: "nftables", file: "/usr/sbin/nft" },
  { package: "prometheus", file: "/usr/bin/promtool" },
  { package: "systemd", file: "/usr/bin/systemd-analyze" },
  { package: "etcd-server", file: "/usr/bin/etcd" },
  { package: "patroni", file: "/usr/bin/patroni" },
  { package: "postgresql-15", file: "/usr/lib/postgresql/15/bin/postgres" },
  { package: "haproxy", file: "/usr/sbin/haproxy" },
  { package: "pgbouncer", file: "/usr/sbin/pgbouncer" },
];
const deploymentPackages = [
  { package: "buildah", file: "/usr/bin/buildah" },
  { package: "caddy", file: "/usr/bin/caddy" },
  { package: "debootstrap", file: "/usr/sbin/debootstrap" },
];

function installSystemPackages(packages) {
  const missing = packages.filter(({ file }) => !existsSync(file)).map((entry) => entry.package);
  if (missing.length === 0) return;
  const isDebian = existsSync("/usr/bin/apt-get");
  if (!isDebian || process.getuid?.() !== 0)
    fail(`The tests need these packages, which aren't installed: ${missing.join(", ")}.
On Debian, run as root: apt-get update && apt-get install -y --no-install-recommends ${missing.join(" ")}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  run("apt-get", ["update", "-qq"], { env });
  run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...missing], { env });
}

install();
if (process.argv.includes("--tests")) {
  installSystemPackages(testPackages);
  run(process.execPath, ["scripts/nebula-versions.mjs"]);
}
if (process.argv.includes("--deployment")) installSystemPackages(deploymentPackages);
mkdirSync(".cache", { recursive: true });
const { buildIfChanged } = await import("./build.mjs");
await buildIfChanged();
