/** Runs the benchmarks that are named, or all; the exit code says whether every limit held. */
import { allocation } from "./allocation.ts";
import { certificates } from "./certificates.ts";
import { type Figure, isBroken, report } from "./figure.ts";
import { hostLists } from "./host-lists.ts";

const benchmarks: Record<string, () => Promise<Figure[]>> = {
  certificates,
  allocation,
  "host-lists": hostLists,
};

const print = (line: string) => process.stdout.write(`${line}\n`);
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !(name in benchmarks));
if (unknown !== undefined) {
  print(`There is no benchmark ${unknown}: use ${Object.keys(benchmarks).join(", ")}`);
  process.exit(1);
}
for (const [name, run] of Object.entries(benchmarks)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const figures = await run();
  for (const line of report(name, figures)) print(line);
  if (figures.some(isBroken)) process.exitCode = 1;
}
