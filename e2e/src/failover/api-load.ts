/** Clients of the API that read and write until they are stopped. Every acknowledged write is kept. */
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import {
  bulkHosts,
  type Client,
  createHostV2,
  deleteHost,
  listHostsV2,
  type HostV2,
  updateHostV3,
} from "@lightkeeper/contract";
import { createRecorder, type Recorder } from "./availability.ts";

/** What the server has acknowledged, and what it may have done without a response. */
export interface Acknowledged {
  /** Hosts by their ID. */
  hosts: Map<string, { name: string; addresses: string[] }>;
  /** Hosts whose last change got no response. */
  uncertain: Set<string>;
  deleted: Set<string>;
  /** Hosts that a bulk change blocks, by the ID of its job. */
  jobs: Map<string, string[]>;
}

export interface ApiLoad {
  acknowledged: Acknowledged;
  reads: Recorder;
  writes: Recorder;
  stop: () => Promise<void>;
}

export interface LoadOptions {
  call: Client;
  networkID: string;
  writers: number;
  readers: number;
}

const READ_PAUSE_MS = 500;
const WRITE_PAUSE_MS = 1500;
const REQUEST_MS_MAX = 60_000;
const HOSTS_PER_JOB = 2;

/** Every fourth host is deleted, and some of the others are blocked by bulk changes. */
const DELETE_EVERY = 4;

interface Writer {
  name: string;
  options: LoadOptions;
  acknowledged: Acknowledged;
  writes: Recorder;
  /** Hosts that no bulk change has blocked yet. */
  unblocked: string[];
}

const deadline = () => AbortSignal.timeout(REQUEST_MS_MAX);

async function createOne({ name, options, acknowledged, writes }: Writer, count: number) {
  const { call, networkID } = options;
  const body = { name: `${name}-${count}`, networkID };
  const host = await writes.record<HostV2>(name, "createHost", () =>
    call(createHostV2, { body, signal: deadline() }),
  );
  if (host) acknowledged.hosts.set(host.id, { name: host.name, addresses: host.ipAddresses });
  return host;
}

async function rename({ name, options, acknowledged, writes }: Writer, host: HostV2): Promise<void> {
  const body = { name: `${host.name}-renamed` };
  const params = { hostID: host.id };
  const renamed = await writes.record<HostV2>(name, "updateHost", () =>
    options.call(updateHostV3, { params, body, signal: deadline() }),
  );
  if (renamed) acknowledged.hosts.set(host.id, { name: renamed.name, addresses: renamed.ipAddresses });
  else acknowledged.uncertain.add(host.id);
}

async function remove({ name, options, acknowledged, writes }: Writer, { id }: HostV2): Promise<void> {
  const deleted = await writes.record(name, "deleteHost", () =>
    options.call(deleteHost, { params: { hostID: id }, signal: deadline() }),
  );
  if (deleted) acknowledged.deleted.add(id);
  else acknowledged.uncertain.add(id);
}

async function blockSome({ name, options, acknowledged, writes, unblocked }: Writer): Promise<void> {
  const ids = unblocked.splice(0);
  const body = { action: "block" as const, ids };
  const job = await writes.record(name, "bulkHosts", () =>
    options.call(bulkHosts, { body, signal: deadline() }),
  );
  if (job) acknowledged.jobs.set(job.jobID, ids);
}

async function writeOnce(writer: Writer, count: number): Promise<void> {
  const host = await createOne(writer, count);
  if (!host) return;
  if (count % DELETE_EVERY === 0) return remove(writer, host);
  if (count % 2 === 0) await rename(writer, host);
  writer.unblocked.push(host.id);
  if (writer.unblocked.length >= HOSTS_PER_JOB) await blockSome(writer);
}

export function startApiLoad(options: LoadOptions): ApiLoad {
  const acknowledged: Acknowledged = {
    hosts: new Map(),
    uncertain: new Set(),
    deleted: new Set(),
    jobs: new Map(),
  };
  const [reads, writes] = [createRecorder(), createRecorder()];
  const stopped = new AbortController();
  setMaxListeners(Infinity, stopped.signal);
  const repeat = async (pauseMs: number, work: (count: number) => Promise<unknown>) => {
    for (let count = 1; !stopped.signal.aborted; count++) {
      await work(count);
      await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const startWriter = (index: number) => {
    const writer = { name: `writer-${index}`, options, acknowledged, writes, unblocked: [] };
    return repeat(WRITE_PAUSE_MS, (count) => writeOnce(writer, count));
  };
  const startReader = (index: number) => {
    const read = () => options.call(listHostsV2, { query: { pageSize: 5 }, signal: deadline() });
    return repeat(READ_PAUSE_MS, () => reads.record(`reader-${index}`, "listHosts", read));
  };
  const running = [
    ...Array.from({ length: options.writers }, (_, index) => startWriter(index)),
    ...Array.from({ length: options.readers }, (_, index) => startReader(index)),
  ];
  return {
    acknowledged,
    reads,
    writes,
    async stop() {
      stopped.abort();
      await Promise.all(running);
    },
  };
}
