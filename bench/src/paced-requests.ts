/** Reads and writes at a fixed rate, whether or not earlier ones have been answered. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, createHostV2, getHostV2, listAuditLogs, listHostsV2 } from "@lightkeeper/contract";
import type { Figure } from "./figure.ts";
import { percentile } from "./load-clients.ts";

const READS_PER_SECOND = 50;
const WRITES_PER_SECOND = 10;
const SECONDS = 30;
const P99_MS_LIMIT = 250;

interface Paced {
  call: Client;
  networkID: string;
}

/** Starts the work at the rate, and returns how long each took. */
async function runAtRate(
  perSecond: number,
  seconds: number,
  work: (index: number) => Promise<unknown>,
): Promise<number[]> {
  const startedAt = performance.now();
  const running: Promise<number>[] = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    await sleep(Math.max(0, startedAt + (1000 * index) / perSecond - performance.now()));
    const sentAt = performance.now();
    running.push(work(index).then(() => performance.now() - sentAt));
  }
  return Promise.all(running);
}

export async function measurePacedRequests(
  { call, networkID }: Paced,
  agents: { size: number; report: (ms: number) => Promise<void> },
): Promise<Figure> {
  const { data } = await call(listHostsV2, { query: { pageSize: 25 } });
  const hostID = data[0]!.id;
  const reads = [
    () => call(listHostsV2, { query: { pageSize: 25, includeCounts: true } }),
    () => call(getHostV2, { params: { hostID } }),
    () => call(listAuditLogs),
  ];
  const [readTimes, writeTimes] = await Promise.all([
    runAtRate(READS_PER_SECOND, SECONDS, (index) => reads[index % reads.length]!()),
    runAtRate(WRITES_PER_SECOND, SECONDS, (index) =>
      call(createHostV2, { body: { networkID, name: `paced-${index}` } }),
    ),
    agents.report(SECONDS * 1000),
  ]);
  const times = [...readTimes, ...writeTimes];
  return {
    what: "for 99 % of the API requests beside the agents",
    detail: `${agents.size} agents, ${READS_PER_SECOND} reads and ${WRITES_PER_SECOND} writes a second for ${SECONDS} s; p50 ${percentile(times, 0.5).toFixed(0)} ms, writes p99 ${percentile(writeTimes, 0.99).toFixed(0)} ms`,
    value: percentile(times, 0.99),
    unit: " ms",
    limit: P99_MS_LIMIT,
    limitIs: "at most",
  };
}
