/** Three etcd members and three PostgreSQL nodes with Patroni, of which one is the primary. */
import pg from "pg";
import { until } from "../until.ts";
import { createEtcd, createPostgres, fetchJson, type NodeOptions } from "./database-nodes.ts";
import { type Deployment, type Machine, MACHINES } from "./deployment.ts";
import type { ManagedProcess } from "./managed-process.ts";

const LEADER_SECONDS_MAX = 90;

export interface ClusterState {
  primary: Machine | undefined;
  /** Standbys that have confirmed every acknowledged write. */
  synchronous: Machine[];
  streaming: Machine[];
}

interface Member {
  name: string;
  role: string;
  state: string;
}

interface EtcdStatus {
  header: { member_id: string };
  leader: string;
}

const perMachine = <T>(create: (machine: Machine) => T): Record<Machine, T> => ({
  1: create(1),
  2: create(2),
  3: create(3),
});

const isPrimary = ({ role, state }: Member) => role === "leader" && state === "running";
const isStandby = ({ role, state }: Member) =>
  role !== "leader" && (state === "running" || state === "streaming");

/** Runs the statements of database.sql. */
async function createDatabase(deployment: Deployment, primary: Machine): Promise<void> {
  const client = new pg.Client({
    host: deployment.addressOf(primary),
    user: "postgres",
    password: "change-this-password-1",
    database: "postgres",
  });
  await client.connect();
  try {
    const statements = deployment.render("database.sql").split(";");
    for (const statement of statements.filter((text) => text.trim())) await client.query(statement);
  } finally {
    await client.end();
  }
}

export class DatabaseCluster {
  readonly etcd: Record<Machine, ManagedProcess>;
  readonly postgres: Record<Machine, ManagedProcess>;
  readonly #deployment: Deployment;

  constructor(deployment: Deployment, options: Omit<NodeOptions, "machine">) {
    this.#deployment = deployment;
    this.etcd = perMachine((machine) => createEtcd(deployment, { ...options, machine }));
    this.postgres = perMachine((machine) => createPostgres(deployment, { ...options, machine }));
  }

  async start(): Promise<void> {
    for (const machine of MACHINES) this.etcd[machine].spawn();
    await Promise.all(MACHINES.map((machine) => this.etcd[machine].waitUntilReady()));
    await this.postgres[1].start();
    await createDatabase(this.#deployment, await this.findPrimary());
    for (const machine of MACHINES) if (machine !== 1) this.postgres[machine].spawn();
  }

  async stop(): Promise<void> {
    await Promise.all(MACHINES.map((machine) => this.postgres[machine].end()));
    await Promise.all(MACHINES.map((machine) => this.etcd[machine].end()));
  }

  async readState(): Promise<ClusterState> {
    const replies = MACHINES.filter((machine) => this.postgres[machine].isRunning).map((machine) =>
      fetchJson<{ members: Member[] }>(`http://${this.#deployment.addressOf(machine)}:8008/cluster`),
    );
    const { members } = (await Promise.all(replies)).find((reply) => reply !== undefined) ?? { members: [] };
    const machinesOf = (isIncluded: (member: Member) => boolean) =>
      members.filter(isIncluded).map(({ name }) => Number(name.slice("postgres".length)) as Machine);
    return {
      primary: machinesOf(isPrimary)[0],
      synchronous: machinesOf(({ role }) => role === "sync_standby"),
      streaming: machinesOf(isStandby),
    };
  }

  /** Waits for a primary if there is none, or only the previous one. */
  async findPrimary(previous?: Machine): Promise<Machine> {
    let found: Machine | undefined;
    const isFound = async () => {
      const { primary } = await this.readState();
      found = primary === previous ? undefined : primary;
      return found !== undefined;
    };
    await until("PostgreSQL has a primary", isFound, { seconds: LEADER_SECONDS_MAX });
    return found!;
  }

  async findEtcdLeader(): Promise<Machine> {
    for (const machine of MACHINES) {
      const url = `http://${this.#deployment.addressOf(machine)}:2379/v3/maintenance/status`;
      const status = await fetchJson<EtcdStatus>(url, { method: "POST", body: "{}" });
      if (status && status.leader === status.header.member_id) return machine;
    }
    throw new Error("etcd has no leader");
  }

  /** Waits until there are a primary and two standbys, one of them synchronous. */
  async waitUntilComplete(): Promise<void> {
    const isComplete = async () => {
      const { primary, synchronous, streaming } = await this.readState();
      return primary !== undefined && synchronous.length === 1 && streaming.length === 2;
    };
    await until("PostgreSQL has two standbys", isComplete, { seconds: LEADER_SECONDS_MAX });
  }
}
