/** Runs the given benchmarks, all of them, or a longer soak test. The exit code is 1 if a figure is over its limit. */
import { access } from "./access.ts";
import { agentMemory } from "./agent-memory.ts";
import { agents } from "./agents.ts";
import { allocation } from "./allocation.ts";
import { attention } from "./attention.ts";
import { auditIndexes } from "./audit-indexes.ts";
import { auditLogs } from "./audit-logs.ts";
import { CAPACITY_ARGUMENT, runCapacity } from "./capacity/capacity.ts";
import { certificates } from "./certificates.ts";
import { consoleInBrowser } from "./console.ts";
import { mapInBrowser } from "./console-map.ts";
import { dataplane } from "./dataplane.ts";
import { fanOut } from "./fan-out.ts";
import { isOverLimit, type NamedFigure, report } from "./figure.ts";
import { FLEET_ARGUMENT } from "./fleet-client.ts";
import { runFleet } from "./fleet-process.ts";
import { guarantees } from "./guarantees.ts";
import { hostLists } from "./host-lists.ts";
import { millionHosts } from "./million-hosts.ts";
import { ipv6Allocation } from "./ipv6-allocation.ts";
import { BARE_ARGUMENT, runBareServer } from "./bare-server.ts";
import { requests } from "./requests.ts";
import { type Benchmarks, runBenchmarks } from "./run-benchmarks.ts";
import { startup } from "./startup.ts";
import { soak } from "./soak.ts";

const SOAK_ARGUMENT = "--soak";
const SOAK_MINUTES = 30;
/** As one of all benchmarks, the soak test is shorter. */
const SHORT_SOAK_MINUTES = 9;

const benchmarks: Benchmarks = {
  certificates,
  allocation,
  "ipv6-allocation": ipv6Allocation,
  "host-lists": hostLists,
  "million-hosts": millionHosts,
  requests,
  attention,
  "audit-logs": auditLogs,
  "audit-indexes": auditIndexes,
  startup,
  "fan-out": fanOut,
  agents,
  "agent-memory": agentMemory,
  dataplane,
  access,
  guarantees,
  console: consoleInBrowser,
  map: mapInBrowser,
  soak: () => soak(SHORT_SOAK_MINUTES),
};

const print = (line: string) => process.stdout.write(`${line}\n`);

async function runNamed(names: string[]): Promise<void> {
  const unknown = names.find((name) => !(name in benchmarks));
  if (unknown !== undefined) {
    print(`Unknown benchmark: ${unknown}. Use ${Object.keys(benchmarks).join(", ")}.`);
    process.exit(1);
  }
  const chosen = Object.entries(benchmarks).filter(([name]) => names.length === 0 || names.includes(name));
  finish(await runBenchmarks(Object.fromEntries(chosen), print));
}

function finish(figures: readonly NamedFigure[]): void {
  for (const line of report(figures)) print(line);
  if (figures.some(isOverLimit)) process.exitCode = 1;
}

async function runSoak(minutes: number): Promise<void> {
  if (!(minutes > 0 && Number.isFinite(minutes))) {
    print("Use npm run soak -- MINUTES, such as npm run soak -- 60.");
    process.exit(1);
  }
  print(`Running the soak test for ${minutes} minutes…`);
  const figures = await soak(minutes);
  finish(figures.map((figure) => ({ benchmark: "soak", ...figure })));
}

const args = process.argv.slice(2);
if (args[0] === FLEET_ARGUMENT) runFleet();
else if (args[0] === BARE_ARGUMENT) await runBareServer(args[1]!, args[2]!);
else if (args[0] === SOAK_ARGUMENT) await runSoak(Number(args[1] ?? SOAK_MINUTES));
else if (args[0] === CAPACITY_ARGUMENT) await runCapacity(args.slice(1));
else await runNamed(args);
