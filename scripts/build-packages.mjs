/**
 * Builds the Debian packages of the server and the agent: npm run package [-- --executables] [--output DIRECTORY]. Two
 * builds of the same commit are identical. With --executables, the server's package contains the agent for hosts without Node.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildAgent } from "./build-agent.mjs";
import { normalizeFiles, readTimestamp, stageServer } from "./stage-server.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const deploy = join(root, "deploy");
const UNITS = "usr/lib/systemd/system";

const run = (command, ...args) => execFileSync(command, args, { cwd: root, encoding: "utf8" }).trim();

/** Node 20 can't import TypeScript. */
async function importTypeScript(file) {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [file],
    bundle: true,
    write: false,
    format: "esm",
  });
  const source = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${source}`);
}

/** The package has the agent in /usr/bin. */
async function readAgentUnit() {
  const { SERVICE_UNIT } = await importTypeScript("server/src/features/install/service-unit.ts");
  return SERVICE_UNIT.replace("/usr/local/bin/", "/usr/bin/");
}

function copyTo(tree, target, source, mode = 0o644) {
  const path = join(tree, target);
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(source, path);
  chmodSync(path, mode);
}

async function writeServerTree(tree, options) {
  await stageServer(join(tree, "usr/lib/lightkeeper"), { withPostgres: true, ...options });
  for (const unit of ["lightkeeper.service", "lightkeeper-backup.service", "lightkeeper-backup.timer"])
    copyTo(tree, join(UNITS, unit), join(deploy, unit));
  copyTo(tree, "usr/bin/lightkeeper", join(deploy, "lightkeeper.sh"), 0o755);
  copyTo(tree, "etc/lightkeeper/lightkeeper.env", join(deploy, "lightkeeper.env"));
}

async function writeAgentTree(tree) {
  const built = mkdtempSync(join(tmpdir(), "lightkeeper-agent-"));
  const { file } = await buildAgent(built);
  const target = "usr/lib/lightkeeper-agent/lightkeeper-agent.mjs";
  copyTo(tree, target, file);
  rmSync(built, { recursive: true });
  const { launcherOf } = await importTypeScript("contract/src/agent-launcher.ts");
  mkdirSync(join(tree, "usr/bin"), { recursive: true });
  writeFileSync(join(tree, "usr/bin/lightkeeper-agent"), launcherOf({ node: "node", bundle: `/${target}` }), {
    mode: 0o755,
  });
  mkdirSync(join(tree, UNITS), { recursive: true });
  writeFileSync(join(tree, UNITS, "lightkeeper-agent.service"), await readAgentUnit());
}

const listFiles = (tree) =>
  readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(tree, join(entry.parentPath, entry.name)))
    .sort();

function writeControl(tree, name, version) {
  const files = listFiles(tree);
  const bytes = files.reduce((total, file) => total + statSync(join(tree, file)).size, 0);
  const sums = files.map((file) => {
    const hash = createHash("md5").update(readFileSync(join(tree, file)));
    return `${hash.digest("hex")}  ${file}\n`;
  });
  const values = {
    VERSION: version,
    ARCHITECTURE: run("dpkg", "--print-architecture"),
    INSTALLED_SIZE: String(Math.ceil(bytes / 1024)),
  };
  const source = join(deploy, "debian", name);
  for (const file of readdirSync(source)) copyTo(tree, join("DEBIAN", file), join(source, file));
  for (const file of ["postinst", "prerm", "postrm"]) chmodSync(join(tree, "DEBIAN", file), 0o755);
  const control = readFileSync(join(source, "control"), "utf8");
  writeFileSync(
    join(tree, "DEBIAN/control"),
    control.replaceAll(/@(\w+)@/g, (_, value) => values[value]),
  );
  writeFileSync(join(tree, "DEBIAN/md5sums"), sums.join(""));
}

async function buildPackage({ name, writeTree, version, output }) {
  const tree = mkdtempSync(join(tmpdir(), `${name}-package-`));
  try {
    await writeTree(tree);
    copyTo(tree, `usr/share/doc/${name}/copyright`, join(root, "LICENSE"));
    writeControl(tree, name, version);
    const timestamp = readTimestamp();
    normalizeFiles(tree, timestamp);
    mkdirSync(output, { recursive: true });
    execFileSync("dpkg-deb", ["--root-owner-group", "-Zzstd", "-z12", "--build", tree, output], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(timestamp) },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const file = readdirSync(output).find((entry) => entry.startsWith(`${name}_${version}_`));
    return join(output, file);
  } finally {
    rmSync(tree, { recursive: true });
  }
}

/** Returns the paths of the server's and the agent's package. */
async function buildPackages(output, withExecutables) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const writeServer = (tree) => writeServerTree(tree, { withExecutables });
  return {
    server: await buildPackage({ name: "lightkeeper", writeTree: writeServer, version, output }),
    agent: await buildPackage({ name: "lightkeeper-agent", writeTree: writeAgentTree, version, output }),
  };
}

const { values } = parseArgs({
  options: {
    output: { type: "string", default: "release/packages" },
    executables: { type: "boolean", default: false },
  },
});
if (values.executables) run(process.execPath, "scripts/build-agent.mjs", "--executables");
const built = await buildPackages(resolve(values.output), values.executables);
for (const file of Object.values(built)) process.stdout.write(`${file}\n`);
