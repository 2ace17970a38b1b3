/** What is done to the processes while they are used. Each function returns when everything runs again. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Machine, MACHINES } from "./deployment.ts";
import type { ManagedProcess } from "./managed-process.ts";
import type { System } from "./system.ts";

export interface Fault {
  name: string;
  /** Not one request may fail. */
  isSilent?: true;
  run: (system: System) => Promise<void>;
}

const PAUSE_MS = 30_000;
/** Longer than the load balancer needs to notice. */
const SETTLE_MS = 4000;

export const noFault: Fault = { name: "none", isSilent: true, run: () => sleep(2 * SETTLE_MS) };

export const killServer = (machine: Machine): Fault => ({
  name: `kill -9 server ${machine}`,
  run: async ({ servers }) => {
    await servers[machine].kill();
    await servers[machine].start();
  },
});

export const killPrimary: Fault = {
  name: "kill -9 the primary",
  run: async ({ database }) => {
    const primary = await database.findPrimary();
    await database.postgres[primary].kill();
    await database.findPrimary(primary);
    await database.postgres[primary].start();
    await database.waitUntilComplete();
  },
};

export const killEtcdLeader: Fault = {
  name: "kill -9 etcd’s leader",
  run: async ({ database }) => {
    const leader = database.etcd[await database.findEtcdLeader()];
    await leader.kill();
    await sleep(SETTLE_MS);
    await leader.start();
  },
};

export const restartLoadBalancer: Fault = {
  name: "restart HAProxy",
  run: async ({ loadBalancer }) => {
    await loadBalancer.stop();
    await loadBalancer.start();
    await sleep(SETTLE_MS);
  },
};

async function pause(process: ManagedProcess): Promise<void> {
  process.pause();
  try {
    await sleep(PAUSE_MS);
  } finally {
    process.resume();
  }
}

export const pauseServer = (machine: Machine): Fault => ({
  name: `pause server ${machine} for 30 s`,
  run: async ({ servers }) => {
    await pause(servers[machine]);
    await servers[machine].waitUntilReady();
    await sleep(SETTLE_MS);
  },
});

export const pausePrimary: Fault = {
  name: "pause the primary for 30 s",
  run: async ({ database }) => {
    const primary = await database.findPrimary();
    await pause(database.postgres[primary]);
    await database.findPrimary(primary);
    await database.waitUntilComplete();
  },
};

async function replaceEach({ servers, replaceServer }: System, program?: string): Promise<void> {
  for (const machine of MACHINES) {
    const code = await servers[machine].stop();
    if (code !== 0) throw new Error(`Server ${machine} exited with ${code}:\n${servers[machine].output()}`);
    if (program !== undefined) replaceServer(machine, program);
    await servers[machine].start();
    // The load balancer uses the server again before the next one stops.
    await sleep(SETTLE_MS);
  }
}

export const rollingRestart: Fault = {
  name: "rolling restart",
  isSilent: true,
  run: (system) => replaceEach(system),
};

export const rollingUpgrade = (program: string): Fault => ({
  name: "rolling upgrade with a migration",
  isSilent: true,
  run: (system) => replaceEach(system, program),
});
