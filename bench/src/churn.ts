/** Agents that come and go: hosts are created, enroll and are deleted, and agents stop for a while. */
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { createHostAndEnrollmentCodeV2, deleteHost, NotFoundError } from "@lightkeeper/contract";
import { SECOND_MS } from "@lightkeeper/contract/durations";
import type { Recorder } from "./failures.ts";
import type { Fleet } from "./fleet-client.ts";
import type { Prepared } from "./fleet-system.ts";
import { pause, repeat } from "./repeat.ts";

const CREATE_EVERY_MS = 5 * SECOND_MS;
/** If there are more, the oldest is deleted. */
const TEMPORARY_HOSTS_MAX = 10;
const DELETE_AGAIN_MS = SECOND_MS;
const STOP_EVERY_MS = 8 * SECOND_MS;
/** Hosts are offline after 90 seconds without a message. */
const STOPPED_MS = 110 * SECOND_MS;

export interface ChurnOptions {
  organization: Prepared;
  /** Of the load balancer. */
  url: string;
  fleet: Fleet;
  /** The hosts whose agents stop for a while. */
  hostIDs: readonly string[];
  recorder: Recorder;
}

export interface Churn {
  counts: { enrolled: number; deleted: number; stopped: number };
  /** Starts the stopped agents again. */
  stop: () => Promise<void>;
}

/** Repeats until the host is deleted; the response to an earlier attempt may have been lost. */
async function removeHost(
  { organization: { call }, fleet, recorder: { record } }: ChurnOptions,
  hostID: string,
): Promise<void> {
  await fleet.expectRejection(hostID);
  const request = () =>
    call(deleteHost, { params: { hostID } }).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
      return {};
    });
  while ((await record("deleteHost", request())) === undefined) await sleep(DELETE_AGAIN_MS);
}

/** Creates a host and enrolls its agent; returns undefined if that fails. */
async function addHost(options: ChurnOptions): Promise<string | undefined> {
  const { organization, url, fleet, recorder } = options;
  const { call, networkID, roleID } = organization;
  const body = { networkID, roleID, name: `temporary-${crypto.randomUUID()}` };
  const created = await recorder.record("createHost", call(createHostAndEnrollmentCodeV2, { body }));
  if (!created) return undefined;
  const codes = [created.enrollmentCode.code];
  // The fleet records failed enrollments. The code may have been used, so the host is deleted.
  const enrolled = await fleet.enroll({ url, codes, concurrency: 1 }).catch(() => undefined);
  if (enrolled) return created.host.id;
  await removeHost(options, created.host.id);
  return undefined;
}

async function replaceHosts(
  options: ChurnOptions,
  counts: Churn["counts"],
  stop: AbortSignal,
): Promise<void> {
  const temporary: string[] = [];
  await repeat(CREATE_EVERY_MS, stop, async () => {
    const added = await addHost(options);
    if (added === undefined) return;
    counts.enrolled++;
    temporary.push(added);
    if (temporary.length <= TEMPORARY_HOSTS_MAX) return;
    await removeHost(options, temporary.shift()!);
    counts.deleted++;
  });
}

async function stopAgents(
  { fleet, hostIDs }: ChurnOptions,
  counts: Churn["counts"],
  stop: AbortSignal,
): Promise<void> {
  const stopped = new Map<string, Promise<void>>();
  const stopForAWhile = async (hostID: string) => {
    await fleet.stopAgent(hostID);
    counts.stopped++;
    await pause(STOPPED_MS, stop);
    await fleet.startAgain(hostID);
    stopped.delete(hostID);
  };
  await repeat(STOP_EVERY_MS, stop, async () => {
    const hostID = hostIDs[Math.floor(Math.random() * hostIDs.length)]!;
    if (!stopped.has(hostID)) stopped.set(hostID, stopForAWhile(hostID));
  });
  await Promise.all(stopped.values());
}

export function startChurn(options: ChurnOptions): Churn {
  const stopped = new AbortController();
  setMaxListeners(Infinity, stopped.signal);
  const counts = { enrolled: 0, deleted: 0, stopped: 0 };
  const running = [
    replaceHosts(options, counts, stopped.signal),
    stopAgents(options, counts, stopped.signal),
  ];
  return {
    counts,
    stop: async () => {
      stopped.abort();
      await Promise.all(running);
    },
  };
}
