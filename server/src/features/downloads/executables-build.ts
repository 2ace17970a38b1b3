/** How the build of the executables is going: `scripts/build-agent.mjs` writes it beside them. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Downloads } from "@lightkeeper/contract";
import { escapeLine } from "@lightkeeper/contract/characters";
import * as z from "zod/mini";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";
import { systemTime } from "../../infrastructure/time/clock.ts";

const STATE_FILE = "executables.json";
/** A build that takes longer was interrupted. */
const BUILD_MS_MAX = 15 * MINUTE_MS;
const REASON_LENGTH_MAX = 300;

const State = z.discriminatedUnion("state", [
  z.object({ state: z.literal("building") }),
  z.object({ state: z.literal("failed"), reason: z.string() }),
  z.object({ state: z.literal("built") }),
]);

/** One line without quotation marks, so that the install script can print it. */
const toReason = (text: string) =>
  escapeLine(text.split("\n", 1)[0] ?? "")
    .replaceAll(/["\\]/g, "'")
    .slice(0, REASON_LENGTH_MAX);

/** Undefined unless the executables are being built or could not be built. */
export async function readExecutablesBuild(directory: string): Promise<Downloads["build"]> {
  const file = join(directory, STATE_FILE);
  try {
    const state = State.parse(JSON.parse(await readFile(file, "utf8")));
    if (state.state === "failed") return { state: "failed", reason: toReason(state.reason) };
    const ageMs = systemTime().getTime() - (await stat(file)).mtime.getTime();
    return state.state === "building" && ageMs < BUILD_MS_MAX ? { state: "building" } : undefined;
  } catch {
    // A missing or damaged file means that nothing is known.
    return undefined;
  }
}
