/** What a number of hosts needs, computed from measured constants and assumptions. No I/O. */
import { STATUS_INTERVAL_SECONDS } from "@lightkeeper/contract/agent";
import { DAY_SECONDS } from "@lightkeeper/contract/durations";

export const operations = ["poll", "report", "update", "enrollment", "read", "write"] as const;
export type Operation = (typeof operations)[number];

/** Of one operation. */
export interface Cost {
  /** CPU time of the server. */
  serverMs: number;
  /** CPU time of all PostgreSQL processes. */
  databaseMs: number;
  walBytes: number;
}

export interface Constants {
  measuredAt: string;
  machine: { cpu: string; cores: number; memoryGibibytes: number; node: string; postgresql: string };
  /** The number of agents during the measurement. */
  agents: number;
  costs: Record<Operation, Cost>;
  /** A server process that nobody calls, as shares of a core. */
  idle: { serverCores: number; databaseCores: number };
  memory: {
    /** A server process without agents. */
    processMebibytes: number;
    kibibytesPerAgent: number;
    /** In the access model of its organization. */
    kibibytesPerModelHost: number;
  };
  storage: { bytesPerHost: number; bytesPerAuditEntry: number; bytesPerMessage: number };
}

/** Properties of the product. */
export const PRODUCT = {
  /** A poll is answered after 50 seconds, and the agent waits for a second before the next. */
  pollSeconds: 51,
  reportSeconds: STATUS_INTERVAL_SECONDS,
  /** How long the signature of a message is stored. */
  messageSeconds: 900,
  /** Hosts in the access models that a process keeps in memory. */
  modelHosts: 400_000,
  /** 20 for requests, 2 to listen for changes. */
  connectionsPerProcess: 22,
  /** Of the host, the enrollment code and the enrollment. */
  auditEntriesPerEnrollment: 3,
} as const;

/** What an installation does, and how much of a machine is used. Change them to match yours. */
export const ASSUMPTIONS = {
  /** Per host. An update is a new configuration, such as after a change of its role. */
  perDay: { update: 2, enrollment: 0.01, read: 5, write: 0.1 },
  auditYears: 2,
  /** The rest is for rollouts, reconnecting agents and the failure of a machine. */
  usedShare: 0.5,
  /** A process runs JavaScript on one core. */
  process: { cores: 1, mebibytes: 4096, openFiles: 65_536, spareFiles: 1000, agents: 50_000 },
  /** What one PostgreSQL primary offers. */
  cluster: { cores: 32, walMebibytesPerSecond: 100, gibibytes: 2048, connections: 1000 },
} as const;

const DAYS_PER_YEAR = 365;
const MEBIBYTE = 2 ** 20;
const GIBIBYTE = 2 ** 30;

/** Operations of one host per second. */
const { perDay } = ASSUMPTIONS;
const rates: Record<Operation, number> = {
  poll: 1 / PRODUCT.pollSeconds,
  report: 1 / PRODUCT.reportSeconds,
  update: perDay.update / DAY_SECONDS,
  enrollment: perDay.enrollment / DAY_SECONDS,
  read: perDay.read / DAY_SECONDS,
  write: perDay.write / DAY_SECONDS,
};

/** Sums a cost of all operations of one host, per second. */
const perHost = ({ costs }: Constants, cost: keyof Cost) =>
  operations.reduce((sum, operation) => sum + rates[operation] * costs[operation][cost], 0);

export const processLimits = ["CPU", "memory", "open files", "agents"] as const;
export const clusterResources = ["database CPU", "WAL", "database size", "connections"] as const;

/** The smallest, or largest, entry of a record. */
function pickEntry<Name extends string>(
  values: Record<Name, number>,
  isBetter: (value: number, best: number) => boolean,
): { name: Name; value: number } {
  const entries = Object.entries(values) as [Name, number][];
  const [name, value] = entries.reduce((best, entry) => (isBetter(entry[1], best[1]) ? entry : best));
  return { name, value };
}

/** How many agents one process can serve, by each of its resources. */
function agentsByResource(constants: Constants): Record<(typeof processLimits)[number], number> {
  const { process, usedShare } = ASSUMPTIONS;
  const { processMebibytes, kibibytesPerAgent } = constants.memory;
  const coresPerHost = perHost(constants, "serverMs") / 1000;
  const cores = usedShare * process.cores - constants.idle.serverCores;
  const mebibytes = process.mebibytes - processMebibytes - modelMebibytes(constants);
  return {
    CPU: cores / coresPerHost,
    memory: (mebibytes * 1024) / kibibytesPerAgent,
    "open files": process.openFiles - process.spareFiles,
    agents: process.agents,
  };
}

const modelMebibytes = ({ memory }: Constants) => (PRODUCT.modelHosts * memory.kibibytesPerModelHost) / 1024;

function bytesPerHost({ storage }: Constants): number {
  const entriesPerDay = perDay.write + PRODUCT.auditEntriesPerEnrollment * perDay.enrollment;
  const entries = entriesPerDay * DAYS_PER_YEAR * ASSUMPTIONS.auditYears;
  const messages = (rates.poll + rates.report) * PRODUCT.messageSeconds;
  return storage.bytesPerHost + entries * storage.bytesPerAuditEntry + messages * storage.bytesPerMessage;
}

export interface Capacity {
  hosts: number;
  agentsPerProcess: number;
  /** The resource that limits the number of agents of a process. */
  processLimit: (typeof processLimits)[number];
  processes: number;
  /** To provide, of which `usedShare` is used. */
  serverCores: number;
  serverGibibytes: number;
  databaseCores: number;
  databaseGibibytes: number;
  walMebibytesPerSecond: number;
  connections: number;
  /** Of what one PostgreSQL cluster offers. */
  clusterShares: Record<(typeof clusterResources)[number], number>;
  saturatesFirst: (typeof clusterResources)[number];
  clusters: number;
  /** The largest number of hosts, and so the largest organization, that one cluster can have. */
  hostsPerCluster: number;
}

export function computeCapacity(constants: Constants, hosts: number): Capacity {
  const { usedShare, cluster } = ASSUMPTIONS;
  const { idle, memory } = constants;
  const limit = pickEntry(agentsByResource(constants), (value, best) => value < best);
  const agentsPerProcess = Math.floor(limit.value);
  if (agentsPerProcess < 1) throw new Error(`A process doesn't have enough ${limit.name} for one agent`);
  const processes = Math.ceil(hosts / agentsPerProcess);
  const mebibytes =
    processes * (memory.processMebibytes + modelMebibytes(constants)) +
    (hosts * memory.kibibytesPerAgent) / 1024;
  const serverUse = processes * idle.serverCores + (hosts * perHost(constants, "serverMs")) / 1000;
  const databaseUse = processes * idle.databaseCores + (hosts * perHost(constants, "databaseMs")) / 1000;
  const needs = {
    databaseCores: databaseUse / usedShare,
    walMebibytesPerSecond: (hosts * perHost(constants, "walBytes")) / MEBIBYTE,
    databaseGibibytes: (hosts * bytesPerHost(constants)) / GIBIBYTE,
    connections: processes * PRODUCT.connectionsPerProcess,
  };
  const clusterShares = {
    "database CPU": needs.databaseCores / cluster.cores,
    WAL: needs.walMebibytesPerSecond / (usedShare * cluster.walMebibytesPerSecond),
    "database size": needs.databaseGibibytes / cluster.gibibytes,
    connections: needs.connections / cluster.connections,
  };
  const first = pickEntry(clusterShares, (value, best) => value > best);
  return {
    hosts,
    agentsPerProcess,
    processLimit: limit.name,
    processes,
    serverCores: serverUse / usedShare,
    serverGibibytes: mebibytes / 1024,
    ...needs,
    clusterShares,
    saturatesFirst: first.name,
    clusters: Math.ceil(first.value),
    hostsPerCluster: Math.floor(hosts / first.value),
  };
}
