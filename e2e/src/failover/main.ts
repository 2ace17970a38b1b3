/**
 * Runs three servers behind HAProxy on a PostgreSQL that fails over, kills, pauses and restarts their processes while
 * 1,000 agents and 20 API writers use them, and prints for how long they were unavailable. The exit code is 1 if
 * something was lost, done twice or failed in an undeclared way.
 */
import { inspect } from "node:util";
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

/**
 * A slow or busy machine needs less load: npm run failover -- AGENTS WRITERS. With a further word, only the faults
 * whose names contain it.
 */
const [agents = "1000", writers = "20", word = ""] = process.argv.slice(2);
const SIZE = { agents: Number(agents), writers: Number(writers), readers: 5 };

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
].filter(({ name }) => name.includes(word));

const system = createSystem();

async function stop(options?: { keepFiles: boolean }): Promise<void> {
  await system.stopAll(options);
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
    for (const text of result.unexpected) progress(text);
  }
  progress("comparing what was acknowledged with the database");
  const verification = await finishLoad(system, load);
  for (const line of ["", ...formatReport(results, verification)]) print(line);
  if (listProblems(results, verification).length > 0) process.exitCode = 1;
} catch (error) {
  print(inspect(error));
  process.exitCode = 1;
} finally {
  const keepFiles = process.exitCode === 1;
  await stop({ keepFiles });
  if (keepFiles) print(`The logs of all processes are in ${system.folder}.`);
}
process.exit();
