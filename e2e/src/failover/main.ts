/**
 * Runs three servers behind HAProxy on a PostgreSQL that fails over, kills, pauses and restarts their processes while
 * 1,000 agents and 20 API writers use them, and prints for how long they were unavailable. The exit code is 1 if
 * something was lost, done twice or failed in an undeclared way.
 */
import {
  killEtcdLeader,
  killPrimary,
  killServer,
  noFault,
  pausePrimary,
  pauseServer,
  restartLoadBalancer,
  rollingRestart,
  rollingUpgrade,
} from "./faults.ts";
import { buildNextServer } from "./next-server.ts";
import { describeResult, formatReport, listProblems } from "./report.ts";
import { type FaultResult, finishLoad, runFault, startLoad } from "./story.ts";
import { createSystem } from "./system.ts";

/** A slow or busy machine needs less load: npm run failover -- AGENTS WRITERS. */
const [agents = 1000, writers = 20] = process.argv.slice(2).map(Number);
const SIZE = { agents, writers, readers: 5 };

const startedAt = performance.now();
const print = (line: string) => process.stdout.write(`${line}\n`);
const progress = (line: string) => print(`${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${line}`);

const next = buildNextServer();
const faults = [
  noFault,
  killServer(1),
  killServer(2),
  killServer(3),
  killPrimary,
  killEtcdLeader,
  restartLoadBalancer,
  pauseServer(2),
  pausePrimary,
  rollingRestart,
  rollingUpgrade(next.program),
];

const system = createSystem();

async function stop(): Promise<void> {
  await system.stopAll();
  next.remove();
}

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stop().finally(() => process.exit(1)));

try {
  progress("starting etcd, PostgreSQL, HAProxy and the servers");
  await system.startAll();
  progress(`enrolling ${SIZE.agents} agents`);
  const load = await startLoad(system, SIZE);
  const results: FaultResult[] = [];
  for (const fault of faults) {
    progress(`fault: ${fault.name}`);
    const result = await runFault(system, load, fault);
    results.push(result);
    progress(describeResult(result));
  }
  progress("comparing what was acknowledged with the database");
  const verification = await finishLoad(system, load);
  for (const line of ["", ...formatReport(results, verification)]) print(line);
  if (listProblems(results, verification).length > 0) process.exitCode = 1;
} finally {
  await stop();
}
process.exit();
