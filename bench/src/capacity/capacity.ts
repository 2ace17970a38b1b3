/** `npm run capacity`: measures the constants, or reads them from a file, and prints what millions of hosts need. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { computeCapacity, type Constants } from "./capacity-model.ts";
import {
  capacityTable,
  constantsTables,
  describeAssumptions,
  describeConstants,
  SIZES,
} from "./capacity-report.ts";
import { measureConstants } from "./measure-constants.ts";

/** The argument that makes the benchmarks' program compute the capacity. */
export const CAPACITY_ARGUMENT = "--capacity";

/** Relative to the built benchmarks. */
const CONSTANTS_FILE = join(import.meta.dirname, "../../bench/capacity-constants.json");
const AGENTS = "3000";

const print = (line: string) => process.stdout.write(`${line}\n`);

async function findConstants(args: string[]): Promise<Constants> {
  const { values } = parseArgs({
    args,
    options: {
      /** Computes without measuring. */
      constants: { type: "string" },
      agents: { type: "string", default: AGENTS },
      /** The file for the measured constants. */
      output: { type: "string", default: CONSTANTS_FILE },
    },
  });
  if (values.constants !== undefined) return JSON.parse(readFileSync(values.constants, "utf8")) as Constants;
  const constants = await measureConstants(Number(values.agents), print);
  writeFileSync(values.output, `${JSON.stringify(constants, null, 2)}\n`);
  print(`Wrote ${values.output}`);
  return constants;
}

export async function runCapacity(args: string[]): Promise<void> {
  const constants = await findConstants(args);
  const lines = [
    describeConstants(constants),
    "",
    ...constantsTables(constants),
    "",
    describeAssumptions(),
    "",
    ...capacityTable(SIZES.map((hosts) => computeCapacity(constants, hosts))),
  ];
  for (const line of lines) print(line);
}
