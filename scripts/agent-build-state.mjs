/** Builds the agent's executables if they have changed, and records how the build is going beside them. */
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

const stateFile = (directory) => join(directory, "executables.json");

async function writeState(directory, state) {
  await mkdir(directory, { recursive: true });
  const file = stateFile(directory);
  const writing = `${file}.${randomUUID()}`;
  await writeFile(writing, JSON.stringify(state));
  await rename(writing, file);
}

async function readState(directory) {
  try {
    return JSON.parse(await readFile(stateFile(directory), "utf8"));
  } catch {
    return {};
  }
}

/**
 * `bundle` is the file that the executables contain, `files` are their paths and `tools` identifies what they are built
 * with. `build` throws an error whose message is shown to people.
 */
export async function buildIfChanged({ directory, bundle, files, tools, build, isForced = false }) {
  const hash = createHash("sha256")
    .update(await readFile(bundle))
    .update(tools)
    .digest("hex");
  const known = await readState(directory);
  const isUpToDate =
    known.state === "built" && known.hash === hash && files.every((file) => existsSync(file));
  if (isUpToDate && !isForced) return;
  await writeState(directory, { state: "building" });
  try {
    await build();
    await writeState(directory, { state: "built", hash });
  } catch (error) {
    await writeState(directory, { state: "failed", reason: error.message });
    throw error;
  }
}
