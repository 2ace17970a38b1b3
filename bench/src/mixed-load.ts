/** Mixed load of reads, writes and open consoles, until it's stopped. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Client,
  createHost,
  deleteHost,
  getHost,
  listAuditLogs,
  listHosts,
  listNetworks,
  listRoles,
  streamEvents,
  updateRole,
  whoami,
} from "@lightkeeper/contract";

const READ_PAUSE_MS = 40;
const WRITE_PAUSE_MS = 120;
const STREAM_PAUSE_MS = 500;
/** How often the rules of all agents change. */
const RULES_PAUSE_MS = 20_000;

let hosts = 0;

export interface LoadCounts {
  requests: number;
  events: number;
  /** One line for each request that failed. */
  failures: string[];
}

interface Organization {
  call: Client;
  networkID: string;
  roleID: string;
}

export interface MixedLoad {
  counts: LoadCounts;
  /** Keeps one console open. */
  openConsole: (call: Client) => void;
  startReader: (organization: Organization) => void;
  /** Creates and deletes hosts and changes the role. */
  startWriter: (organization: Organization) => void;
  /** Changes the role periodically. */
  startRuleChanges: (organization: Organization) => void;
  stop: () => Promise<void>;
}

/** Sends a request and counts it; returns undefined if it fails. */
type Count = <T>(what: string, request: Promise<T>) => Promise<T | undefined>;

async function read({ call }: Organization, count: Count): Promise<void> {
  const page = await count("listHosts", call(listHosts, { query: { pageSize: 25, includeCounts: true } }));
  const [host] = page?.data ?? [];
  if (host) await count("getHost", call(getHost, { params: { hostID: host.id } }));
  await count("listRoles", call(listRoles));
  await count("listNetworks", call(listNetworks));
  await count("listAuditLogs", call(listAuditLogs));
  await count("whoami", call(whoami));
}

async function changeRules({ call, roleID }: Organization, count: Count): Promise<void> {
  const port = 1 + Math.floor(Math.random() * 60_000);
  const firewallRules = [{ protocol: "TCP" as const, portRange: { from: port, to: port } }];
  await count("updateRole", call(updateRole, { params: { roleID }, body: { firewallRules } }));
}

async function write(organization: Organization, count: Count): Promise<void> {
  const { call, networkID, roleID } = organization;
  const name = `soak-${++hosts}`;
  const body = { networkID, name, roleID, listenPort: 0, isLighthouse: false, isRelay: false };
  const host = await count("createHost", call(createHost, { body: { ...body, staticAddresses: [] } }));
  await changeRules(organization, count);
  if (host) await count("deleteHost", call(deleteHost, { params: { hostID: host.id } }));
}

export function startMixedLoad(): MixedLoad {
  const counts: LoadCounts = { requests: 0, events: 0, failures: [] };
  const stopped = new AbortController();
  const running: Promise<void>[] = [];

  async function count<T>(what: string, request: Promise<T>): Promise<T | undefined> {
    counts.requests++;
    try {
      return await request;
    } catch (error) {
      if (!stopped.signal.aborted)
        counts.failures.push(`${new Date().toISOString()} ${what}: ${String(error)}`);
      return undefined;
    }
  }

  function repeat(pauseMs: number, work: () => Promise<void>): void {
    const loop = async () => {
      while (!stopped.signal.aborted) {
        await work();
        await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined);
      }
    };
    running.push(loop());
  }

  async function follow(call: Client): Promise<void> {
    const response = await count("streamEvents", call(streamEvents, { signal: stopped.signal }));
    try {
      for await (const _chunk of response?.body ?? []) counts.events++;
    } catch {
      // A stopping server ends its streams; the console opens another.
    }
  }

  return {
    counts,
    openConsole: (call) => repeat(STREAM_PAUSE_MS, () => follow(call)),
    startReader: (organization) => repeat(READ_PAUSE_MS, () => read(organization, count)),
    startWriter: (organization) => repeat(WRITE_PAUSE_MS, () => write(organization, count)),
    startRuleChanges: (organization) => repeat(RULES_PAUSE_MS, () => changeRules(organization, count)),
    stop: async () => {
      stopped.abort();
      await Promise.all(running);
    },
  };
}
