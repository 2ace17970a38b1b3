/** Runs the benchmarks that are named, or all; the exit code says whether every limit held. */
import { agents } from "./agents.ts";
import { allocation } from "./allocation.ts";
import { auditLogs } from "./audit-logs.ts";
import { certificates } from "./certificates.ts";
import { consoleInBrowser } from "./console.ts";
import { dataplane } from "./dataplane.ts";
import { type Figure, isBroken, report } from "./figure.ts";
import { FLEET } from "./fleet.ts";
import { runFleet } from "./fleet-process.ts";
import { hostLists } from "./host-lists.ts";
import { soak } from "./soak.ts";

const benchmarks: Record<string, () => Promise<Figure[]>> = {
  certificates,
  allocation,
  "host-lists": hostLists,
  "audit-logs": auditLogs,
  agents,
  dataplane,
  console: consoleInBrowser,
  soak,
};

const print = (line: string) => process.stdout.write(`${line}\n`);

async function runBenchmarks(wanted: string[]): Promise<void> {
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
}

const given = process.argv.slice(2);
if (given[0] === FLEET) runFleet();
else await runBenchmarks(given);
