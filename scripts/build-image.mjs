/**
 * Builds the container image of the server with Podman, Docker or Buildah: npm run image [-- --executables] [--tag NAME] [--tool NAME].
 * With --executables, the image contains the agent for hosts without Node.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { normalizeFiles, readTimestamp, stageServer } from "./stage-server.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const CONTAINERFILE = join(root, "deploy/Containerfile");

/** Only the Docker format has health checks; Docker reads the time of the files from the build argument. */
const podmanArguments = (timestamp) => ["--format", "docker", "--timestamp", String(timestamp)];
const TOOLS = {
  podman: podmanArguments,
  docker: (timestamp) => ["--build-arg", `SOURCE_DATE_EPOCH=${timestamp}`],
  buildah: podmanArguments,
};

function findTool() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const tool = Object.keys(TOOLS).find((name) => folders.some((folder) => existsSync(join(folder, name))));
  if (tool === undefined) throw new Error(`Install one of ${Object.keys(TOOLS).join(", ")}.`);
  return tool;
}

async function buildImage({ tag, tool = findTool(), withExecutables }) {
  const context = mkdtempSync(join(tmpdir(), "lightkeeper-image-"));
  const timestamp = readTimestamp();
  try {
    await stageServer(context, { withPostgres: false, withExecutables });
    normalizeFiles(context, timestamp);
    const args = ["build", ...TOOLS[tool](timestamp), "--tag", tag, "--file", CONTAINERFILE, context];
    execFileSync(tool, args, { stdio: "inherit" });
  } finally {
    rmSync(context, { recursive: true });
  }
}

const { values } = parseArgs({
  options: {
    tag: { type: "string", default: "localhost/lightkeeper:latest" },
    tool: { type: "string" },
    executables: { type: "boolean", default: false },
  },
});
try {
  if (values.executables)
    execFileSync(process.execPath, [join(root, "scripts/build-agent.mjs"), "--executables"]);
  await buildImage({ tag: values.tag, tool: values.tool, withExecutables: values.executables });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
