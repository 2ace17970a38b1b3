/** 20 real hosts: how soon their packet filters apply a saved change, and how soon a blocked host is disconnected. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  blockHostV2,
  createEnrollmentCode,
  createRole,
  unblockHostV2,
  updateRole,
} from "@lightkeeper/contract";
import { type NebulaVersion, type OverlayHost, TestNetwork, until } from "@lightkeeper/e2e/dataplane";
import type { Figure } from "./figure.ts";

const VERSIONS: NebulaVersion[] = ["1.6.1", "1.11.0"];
const HOSTS = 20;
const EDITS = 10;
const BLOCKS = 3;
const [CHANGE_MS_LIMIT, CUT_MS_LIMIT] = [2000, 12_000];
/** Always open. */
const PORT = 7000;
/** Opened and closed by edits. */
const EDITED_PORT = 7001;

const ATTEMPT_MS = 100;
const WAIT = { seconds: 120, everyMs: 50 };
/** An agent polls again one second after a reply: with this interval, edits don't wait for the next poll. */
const BETWEEN_EDITS_MS = 2000;
/** A single failed attempt may be due to a busy machine; this many in a row are not. */
const SILENT_ATTEMPTS = { filter: 4, cut: 10 };

interface Fleet {
  testNetwork: TestNetwork;
  lighthouse: OverlayHost;
  hosts: OverlayHost[];
  roleID: string;
}

const rules = (...ports: number[]) => ({
  firewallRules: ports.map((port) => ({
    protocol: "UDP" as const,
    portRange: { from: port, to: port },
  })),
});

async function startFleet(version: NebulaVersion): Promise<Fleet> {
  const testNetwork = await TestNetwork.createWithServer(version);
  try {
    const icmp = { firewallRules: [{ protocol: "ICMP" as const }] };
    const other = await testNetwork.call(createRole, { body: { name: "onlooker", ...icmp } });
    const { id: roleID } = await testNetwork.call(createRole, { body: { name: "host", ...rules(PORT) } });
    const lighthouse = await testNetwork.addHost("lighthouse", {
      isLighthouse: true,
      isStatic: true,
      roleID: other.id,
    });
    const hosts: OverlayHost[] = [];
    for (let number = 1; number <= HOSTS; number++)
      hosts.push(await testNetwork.addHost(`host-${number}`, { roleID }));
    await testNetwork.startHosts(lighthouse);
    for (const { probe } of hosts)
      await Promise.all([probe.serve("udp", PORT), probe.serve("udp", EDITED_PORT)]);
    await reachAll(lighthouse, hosts);
    return { testNetwork, lighthouse, hosts, roleID };
  } catch (error) {
    await testNetwork.remove();
    throw error;
  }
}

const attempt = (from: OverlayHost, to: OverlayHost, port: number) =>
  from.probe.reach("udp", to.address, port, ATTEMPT_MS);

async function reachAll(from: OverlayHost, hosts: OverlayHost[]): Promise<void> {
  for (const host of hosts)
    await until(`${host.machine.name} answers`, () => attempt(from, host, PORT), WAIT);
}

/** Returns the time of the first reply. */
async function waitUntilOpen(from: OverlayHost, to: OverlayHost): Promise<number> {
  await until(`${to.machine.name} opens`, () => attempt(from, to, EDITED_PORT), WAIT);
  return performance.now();
}

/** Returns the time of the first of the failed attempts. */
async function waitUntilSilent(
  from: OverlayHost,
  to: OverlayHost,
  { port, attempts }: { port: number; attempts: number },
): Promise<number> {
  let [silentSince, inARow] = [0, 0];
  const isSilent = async () => {
    const attemptedAt = performance.now();
    inARow = (await attempt(from, to, port)) ? 0 : inARow + 1;
    if (inARow === 1) silentSince = attemptedAt;
    return inARow === attempts;
  };
  await until(`${to.machine.name} falls silent`, isSilent, WAIT);
  return silentSince;
}

/** Milliseconds from the request to the packet filter of each host, for each edit. */
async function editRole({ testNetwork, lighthouse, hosts, roleID }: Fleet): Promise<number[]> {
  const times: number[] = [];
  for (let edit = 0; edit < EDITS; edit++) {
    await sleep(BETWEEN_EDITS_MS);
    const isOpening = edit % 2 === 0;
    const watch = (host: OverlayHost) =>
      isOpening
        ? waitUntilOpen(lighthouse, host)
        : waitUntilSilent(lighthouse, host, { port: EDITED_PORT, attempts: SILENT_ATTEMPTS.filter });
    const savedAt = performance.now();
    const watched = hosts.map(watch);
    const body = isOpening ? rules(PORT, EDITED_PORT) : rules(PORT);
    await testNetwork.call(updateRole, { params: { roleID }, body });
    for (const changedAt of await Promise.all(watched)) times.push(changedAt - savedAt);
  }
  return times;
}

/** Milliseconds from the request until no host replies to the blocked one, for each block. */
async function blockGuest({ testNetwork, hosts, roleID }: Fleet): Promise<number[]> {
  const guest = await testNetwork.addHost("guest", { roleID });
  guest.start();
  const params = { hostID: guest.id };
  const times: number[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    await reachAll(guest, hosts);
    const blockedAt = performance.now();
    const watched = hosts.map((host) =>
      waitUntilSilent(guest, host, { port: PORT, attempts: SILENT_ATTEMPTS.cut }),
    );
    await testNetwork.call(blockHostV2, { params });
    times.push(Math.max(...(await Promise.all(watched))) - blockedAt);
    await testNetwork.call(unblockHostV2, { params });
    const { code } = await testNetwork.call(createEnrollmentCode, { params });
    await guest.enroll(code, "--force");
  }
  return times;
}

function percentile(values: readonly number[], part: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1];
  if (value === undefined) throw new Error("Percentile of an empty list");
  return value;
}

async function measure(version: NebulaVersion): Promise<Figure[]> {
  const fleet = await startFleet(version);
  try {
    const changes = await editRole(fleet);
    const cuts = await blockGuest(fleet);
    const ms = { unit: " ms", limitIs: "at most" } as const;
    return [
      {
        what: `from a role's edit to the packet filters of ${HOSTS} hosts, nebula ${version}`,
        detail: `95th percentile of ${changes.length}, median ${percentile(changes, 0.5).toFixed(0)} ms, slowest ${percentile(changes, 1).toFixed(0)} ms`,
        value: percentile(changes, 0.95),
        limit: CHANGE_MS_LIMIT,
        ...ms,
      },
      {
        what: `from a block to the last of ${HOSTS} hosts cut off, nebula ${version}`,
        detail: `slowest of ${cuts.map((time) => `${time.toFixed(0)} ms`).join(", ")}`,
        value: Math.max(...cuts),
        limit: CUT_MS_LIMIT,
        ...ms,
      },
    ];
  } finally {
    await fleet.testNetwork.remove();
  }
}

export async function dataplane(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const version of VERSIONS) figures.push(...(await measure(version)));
  return figures;
}
