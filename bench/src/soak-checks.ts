/** What the API shows about the hosts after the soak test. */
import {
  type Client,
  getHostState,
  type HostState,
  listCertificateAuthorities,
  listHostsV2,
  verifyAuditLogs,
} from "@lightkeeper/contract";
import { STATUS_INTERVAL_SECONDS } from "@lightkeeper/contract/agent";
import { MINUTE_SECONDS, SECOND_MS } from "@lightkeeper/contract/durations";
import type { Figure } from "./figure.ts";
import type { Fleet } from "./fleet-client.ts";
import type { Prepared } from "./fleet-system.ts";
import { waitFor } from "./until.ts";

/** A host that was marked as out of sync is in sync again with its next report. */
const SETTLE_SECONDS_LIMIT = STATUS_INTERVAL_SECONDS + MINUTE_SECONDS;
const PAGE_SIZE = 500;

interface Checked {
  organizations: readonly Prepared[];
  fleet: Fleet;
  deletedCount: number;
}

type Filter = "online" | "offline" | "drifted";

async function listHostIDs(call: Client, status: Filter): Promise<string[]> {
  const ids: string[] = [];
  let cursor = "";
  do {
    const query = { pageSize: PAGE_SIZE, cursor, "filter.status": status };
    const { data, metadata } = await call(listHostsV2, { query });
    ids.push(...data.map(({ id }) => id));
    cursor = metadata.nextCursor ?? "";
  } while (cursor);
  return ids;
}

async function listAll({ organizations }: Checked, status: Filter): Promise<string[]> {
  const lists = await Promise.all(organizations.map(({ call }) => listHostIDs(call, status)));
  return lists.flat();
}

/** The hosts of running agents that aren't online. */
async function listDisconnected(checked: Checked): Promise<string[]> {
  const online = new Set(await listAll(checked, "online"));
  return (await checked.fleet.runningHosts()).filter((id) => !online.has(id));
}

interface HostCheck {
  state: HostState;
  hasCurrentCA: boolean;
}

async function checkHosts({ call, networkID }: Prepared): Promise<HostCheck[]> {
  const { data: authorities } = await call(listCertificateAuthorities, {
    query: { "filter.networkID": networkID },
  });
  const current = authorities.find(({ state }) => state === "SIGNING");
  const checks: HostCheck[] = [];
  for (const hostID of await listHostIDs(call, "online")) {
    const state = await call(getHostState, { params: { hostID } });
    const hasCurrentCA = state.certificate?.certificateAuthorityID === current?.id;
    checks.push({ state, hasCurrentCA });
  }
  return checks;
}

const isInSync = ({ state }: HostCheck) => state.runningHash === state.intendedHash;

async function isSettled(checked: Checked): Promise<boolean> {
  const { lostDeleted } = await checked.fleet.counts();
  if (lostDeleted < checked.deletedCount) return false;
  if ((await listDisconnected(checked)).length > 0) return false;
  if ((await listAll(checked, "drifted")).length > 0) return false;
  const checks = (await Promise.all(checked.organizations.map(checkHosts))).flat();
  return checks.every(isInSync);
}

const countFigure = (what: string, detail: string, value: number, unit: Figure["unit"]): Figure => ({
  what,
  detail,
  value,
  unit,
  limit: 0,
  limitIs: "at most",
});

async function verifyLogs({ organizations }: Checked): Promise<Figure> {
  const results = await Promise.all(organizations.map(({ call }) => call(verifyAuditLogs)));
  const entryCount = results.reduce((sum, result) => sum + (result.ok ? result.entries : 0), 0);
  const broken = results.filter(({ ok }) => !ok).length;
  return countFigure("incomplete audit logs", `${entryCount} entries verified`, broken, " logs");
}

/** Waits until every agent is connected and in sync, and returns what the API shows. */
export async function checkFleet(checked: Checked): Promise<Figure[]> {
  const startedAt = performance.now();
  await waitFor(SETTLE_SECONDS_LIMIT * SECOND_MS, () => isSettled(checked));
  const seconds = (performance.now() - startedAt) / SECOND_MS;
  const running = await checked.fleet.runningHosts();
  const checks = (await Promise.all(checked.organizations.map(checkHosts))).flat();
  const { lost, lostDeleted } = await checked.fleet.counts();
  const [offline, drifted] = [await listAll(checked, "offline"), await listAll(checked, "drifted")];
  const disconnected = await listDisconnected(checked);
  return [
    {
      what: "until every host was online and in sync after the load ended",
      detail: `${running.length} hosts with running agents`,
      value: seconds,
      unit: " s",
      limit: SETTLE_SECONDS_LIMIT,
      limitIs: "at most",
    },
    countFigure("hosts out of sync at the end", "filter.status=drifted", drifted.length, " hosts"),
    countFigure(
      "hosts that run another configuration than intended",
      `of ${checks.length} online hosts`,
      checks.filter((check) => !isInSync(check)).length,
      " hosts",
    ),
    countFigure("running agents whose host isn't online", "at the end", disconnected.length, " hosts"),
    countFigure("enrolled hosts that are offline", "at the end", offline.length, " hosts"),
    countFigure(
      "hosts whose certificate isn't from the current CA",
      `of ${checks.length} online hosts`,
      checks.filter(({ hasCurrentCA }) => !hasCurrentCA).length,
      " hosts",
    ),
    countFigure("rejected agents whose host wasn't deleted", "during the whole run", lost, " agents"),
    countFigure(
      "agents that weren't rejected after their host was deleted",
      `of ${checked.deletedCount} deleted hosts`,
      checked.deletedCount - lostDeleted,
      " agents",
    ),
    await verifyLogs(checked),
  ];
}
