/** Mixed load of reads, writes and open consoles, until it's stopped. */
import { setMaxListeners } from "node:events";
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
import type { Recorder } from "./failures.ts";
import { repeat } from "./repeat.ts";

const READ_PAUSE_MS = 100;
const WRITE_PAUSE_MS = 300;
const STREAM_PAUSE_MS = 500;
/** How often the rules of all agents change. */
const RULES_PAUSE_MS = 20_000;

let hosts = 0;

interface Organization {
  call: Client;
  networkID: string;
  roleID: string;
}

export interface MixedLoad {
  /** Keeps one console open. */
  openConsole: (call: Client) => void;
  startReader: (organization: Organization) => void;
  /** Creates and deletes hosts and changes the role. */
  startWriter: (organization: Organization) => void;
  /** Changes the role periodically. */
  startRuleChanges: (organization: Organization) => void;
  stop: () => Promise<void>;
}

async function read({ call }: Organization, { record }: Recorder): Promise<void> {
  const page = await record("listHosts", call(listHosts, { query: { pageSize: 25, includeCounts: true } }));
  const [host] = page?.data ?? [];
  if (host) await record("getHost", call(getHost, { params: { hostID: host.id } }));
  await record("listRoles", call(listRoles));
  await record("listNetworks", call(listNetworks));
  await record("listAuditLogs", call(listAuditLogs));
  await record("whoami", call(whoami));
}

async function changeRules({ call, roleID }: Organization, { record }: Recorder): Promise<void> {
  const port = 1 + Math.floor(Math.random() * 60_000);
  const firewallRules = [{ protocol: "TCP" as const, portRange: { from: port, to: port } }];
  await record("updateRole", call(updateRole, { params: { roleID }, body: { firewallRules } }));
}

async function write(organization: Organization, recorder: Recorder): Promise<void> {
  const { call, networkID, roleID } = organization;
  const { record } = recorder;
  const name = `soak-${++hosts}`;
  const body = { networkID, name, roleID, listenPort: 0, isLighthouse: false, isRelay: false };
  const host = await record("createHost", call(createHost, { body: { ...body, staticAddresses: [] } }));
  await changeRules(organization, recorder);
  if (host) await record("deleteHost", call(deleteHost, { params: { hostID: host.id } }));
}

/** Keeps one stream of events open until the server ends it. */
async function follow(call: Client, { record }: Recorder, stop: AbortSignal): Promise<void> {
  const response = await record("streamEvents", call(streamEvents, { signal: stop }));
  try {
    for await (const _chunk of response?.body ?? []);
  } catch {
    // A stopping server ends its streams; the console opens another.
  }
}

export function startMixedLoad(recorder: Recorder): MixedLoad {
  const stopped = new AbortController();
  const { signal } = stopped;
  setMaxListeners(Infinity, signal);
  const running: Promise<void>[] = [];
  const start = (pauseMs: number, work: () => Promise<void>) =>
    void running.push(repeat(pauseMs, signal, work));
  return {
    openConsole: (call) => start(STREAM_PAUSE_MS, () => follow(call, recorder, signal)),
    startReader: (organization) => start(READ_PAUSE_MS, () => read(organization, recorder)),
    startWriter: (organization) => start(WRITE_PAUSE_MS, () => write(organization, recorder)),
    startRuleChanges: (organization) => start(RULES_PAUSE_MS, () => changeRules(organization, recorder)),
    stop: async () => {
      stopped.abort();
      await Promise.all(running);
    },
  };
}
