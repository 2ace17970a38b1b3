/** Compares what the servers acknowledged with what the database contains. */
import { type Client, verifyAuditLogs } from "@lightkeeper/contract";
import type { ReceivedRequest } from "@lightkeeper/server/webhook-receiver";
import pg from "pg";
import type { Acknowledged } from "./api-load.ts";

export interface Verification {
  /** Acknowledged changes that the database doesn't contain, and notifications that weren't sent. */
  lost: string[];
  /** Whatever exists or was done twice. */
  duplicated: string[];
  /** Hosts whose agent hasn't enrolled exactly once. */
  enrolledAgain: string[];
  counts: {
    hosts: number;
    jobs: number;
    notifications: number;
    /** Requests that were sent again with the same ID. */
    repeatedNotifications: number;
    entries: number;
  };
}

interface HostRow {
  id: string;
  name: string;
  network_id: string;
  ip_address: string;
}
interface JobRow {
  id: string;
  state: string;
  done: number;
  total: number;
}
/** An audit log entry of a host. */
interface EntryRow {
  target_id: string;
  event_type: string;
}

export interface StoredState {
  hosts: HostRow[];
  jobs: JobRow[];
  entries: EntryRow[];
}

export type Query = <Row extends object>(text: string) => Promise<Row[]>;

export async function withQuery<T>(connectionString: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(async (text) => (await client.query(text)).rows);
  } finally {
    await client.end();
  }
}

export const readStoredState = (databaseURL: string): Promise<StoredState> =>
  withQuery(databaseURL, async (query) => ({
    hosts: await query("select id, name, network_id, host(ip_address) as ip_address from hosts"),
    jobs: await query("select id, state, done, total from jobs"),
    entries: await query("select target_id, event_type from audit_logs where target_type = 'host'"),
  }));

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

/** The number of entries of this type by host. */
const countEntries = (entries: readonly EntryRow[], type: string) =>
  countBy(
    entries.filter(({ event_type }) => event_type === type),
    ({ target_id }) => target_id,
  );

const findRepeated = (what: string, counts: ReadonlyMap<string, number>) =>
  [...counts].filter(([, count]) => count > 1).map(([key, count]) => `${what} ${key}, ${count} times`);

function findLostHosts({ hosts, uncertain, deleted }: Acknowledged, rows: readonly HostRow[]): string[] {
  const stored = new Map(rows.map((row) => [row.id, row]));
  return [...hosts].flatMap(([id, { name, addresses }]) => {
    const row = stored.get(id);
    if (deleted.has(id)) return row ? [`the deletion of ${name}`] : [];
    if (uncertain.has(id)) return [];
    if (row?.name !== name) return [`the host ${name}`];
    return addresses.includes(row.ip_address) ? [] : [`the address of ${name}`];
  });
}

function findLostJobs({ jobs }: Acknowledged, { jobs: rows, entries }: StoredState): string[] {
  const stored = new Map(rows.map((row) => [row.id, row]));
  const blocked = countEntries(entries, "BLOCKED_HOST");
  return [...jobs].flatMap(([id, hostIDs]) => {
    const job = stored.get(id);
    if (job?.state !== "done" || job.done !== job.total) return [`the job ${id}`];
    return hostIDs.filter((hostID) => !blocked.has(hostID)).map((hostID) => `the block of ${hostID}`);
  });
}

/** A message lists the first of its hosts. */
interface Notification {
  data: { count: number; items: { id: string }[] };
}

/** The blocked hosts of all messages; a message that was repeated with the same ID counts once. */
function readNotifications(requests: readonly ReceivedRequest[]) {
  const messages = new Map(requests.map(({ headers, body }) => [String(headers["webhook-id"]), body]));
  const notifications = [...messages.values()].map((body) => (JSON.parse(body) as Notification).data);
  const hostIDs = notifications.flatMap(({ items }) => items.map(({ id }) => id));
  const count = notifications.reduce((sum, notification) => sum + notification.count, 0);
  return { hostIDs, unlistedCount: count - hostIDs.length, repeated: requests.length - messages.size };
}

export interface Observed {
  acknowledged: Acknowledged;
  agentHostIDs: readonly string[];
  /** The requests that the webhook received. */
  requests: readonly ReceivedRequest[];
}

export function compareWithStored(observed: Observed, stored: StoredState): Verification {
  const { acknowledged, agentHostIDs, requests } = observed;
  const { hosts, entries } = stored;
  const blocked = countEntries(entries, "BLOCKED_HOST");
  const enrolled = countEntries(entries, "ENROLLED");
  const { hostIDs: notifiedIDs, unlistedCount, repeated } = readNotifications(requests);
  const notified = new Set(notifiedIDs);
  const unlisted = [...blocked.keys()].filter((id) => !notified.has(id));
  return {
    lost: [
      ...findLostHosts(acknowledged, hosts),
      ...findLostJobs(acknowledged, stored),
      ...unlisted.slice(unlistedCount).map((id) => `the notification about ${id}`),
    ],
    duplicated: [
      ...findRepeated(
        "the address",
        countBy(hosts, (host) => `${host.network_id} ${host.ip_address}`),
      ),
      ...findRepeated("the creation of", countEntries(entries, "CREATED")),
      ...findRepeated("the block of", blocked),
      ...findRepeated(
        "the notification about",
        countBy(notifiedIDs, (id) => id),
      ),
      ...(unlistedCount > unlisted.length
        ? [`notifications about hosts that no message lists: ${unlistedCount - unlisted.length}`]
        : []),
    ],
    enrolledAgain: agentHostIDs.filter((id) => enrolled.get(id) !== 1),
    counts: {
      hosts: acknowledged.hosts.size,
      jobs: acknowledged.jobs.size,
      notifications: notifiedIDs.length + unlistedCount,
      repeatedNotifications: repeated,
      entries: 0,
    },
  };
}

export async function verify(databaseURL: string, call: Client, observed: Observed): Promise<Verification> {
  const { lost, counts, ...rest } = compareWithStored(observed, await readStoredState(databaseURL));
  const chain = await call(verifyAuditLogs);
  return {
    ...rest,
    lost: chain.ok ? lost : [...lost, `the audit log from ${chain.firstBroken}`],
    counts: { ...counts, entries: chain.ok ? chain.entries : 0 },
  };
}
