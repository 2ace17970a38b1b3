/** Twenty real hosts: how soon a saved change is what their packet filters do, and a blocked host is cut off. */
import {
  blockHostV2,
  createEnrollmentCode,
  createRole,
  unblockHostV2,
  updateRole,
} from "@lightkeeper/contract";
import type { OverlayHost } from "../../e2e/src/dataplane/overlay-host.ts";
import { sleep, until } from "../../e2e/src/dataplane/shell.ts";
import { type NebulaVersion, World } from "../../e2e/src/dataplane/world.ts";
import type { Figure } from "./figure.ts";

const VERSIONS: NebulaVersion[] = ["1.6.1", "1.11.0"];
const HOSTS = 20;
const EDITS = 10;
const BLOCKS = 3;
const [CHANGE_MS_LIMIT, CUT_MS_LIMIT] = [2000, 12_000];
/** Of the role, and always open. */
const PORT = 7000;
/** Opened and closed. */
const EDITED_PORT = 7001;

const ATTEMPT_MS = 100;
const PATIENCE = { seconds: 120, everyMs: 50 };
/** An agent asks again a second after its last answer: edits apart from one another do not wait for that. */
const BETWEEN_EDITS_MS = 2000;
/** One attempt without an answer is a busy machine; so many in a row are none. */
const SILENT_ATTEMPTS = { filter: 4, cut: 10 };

interface Fleet {
  world: World;
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
  const world = await World.create(version);
  try {
    const icmp = { firewallRules: [{ protocol: "ICMP" as const }] };
    const other = await world.call(createRole, { body: { name: "onlooker", ...icmp } });
    const { id: roleID } = await world.call(createRole, { body: { name: "host", ...rules(PORT) } });
    const lighthouse = await world.addHost("lighthouse", {
      isLighthouse: true,
      isStatic: true,
      roleID: other.id,
    });
    const hosts: OverlayHost[] = [];
    for (let number = 1; number <= HOSTS; number++)
      hosts.push(await world.addHost(`host-${number}`, { roleID }));
    await world.startHosts(lighthouse);
    for (const { probe } of hosts)
      await Promise.all([probe.serve("udp", PORT), probe.serve("udp", EDITED_PORT)]);
    await reachAll(lighthouse, hosts);
    return { world, lighthouse, hosts, roleID };
  } catch (error) {
    await world.remove();
    throw error;
  }
}

const attempt = (from: OverlayHost, to: OverlayHost, port: number) =>
  from.probe.reach("udp", to.address, port, ATTEMPT_MS);

async function reachAll(from: OverlayHost, hosts: OverlayHost[]): Promise<void> {
  for (const host of hosts)
    await until(`${host.machine.name} answers`, () => attempt(from, host, PORT), PATIENCE);
}

/** When the first answer came. */
async function untilOpen(from: OverlayHost, to: OverlayHost): Promise<number> {
  await until(`${to.machine.name} opens`, () => attempt(from, to, EDITED_PORT), PATIENCE);
  return performance.now();
}

/** When the first of the attempts that nobody answered was made. */
async function untilSilent(
  from: OverlayHost,
  to: OverlayHost,
  { port, attempts }: { port: number; attempts: number },
): Promise<number> {
  let [silentSince, inARow] = [0, 0];
  const isSilent = async () => {
    const madeAt = performance.now();
    inARow = (await attempt(from, to, port)) ? 0 : inARow + 1;
    if (inARow === 1) silentSince = madeAt;
    return inARow === attempts;
  };
  await until(`${to.machine.name} falls silent`, isSilent, PATIENCE);
  return silentSince;
}

/** From the request to the packet filter of each host, edit by edit. */
async function editRole({ world, lighthouse, hosts, roleID }: Fleet): Promise<number[]> {
  const times: number[] = [];
  for (let edit = 0; edit < EDITS; edit++) {
    await sleep(BETWEEN_EDITS_MS);
    const isOpening = edit % 2 === 0;
    const watch = (host: OverlayHost) =>
      isOpening
        ? untilOpen(lighthouse, host)
        : untilSilent(lighthouse, host, { port: EDITED_PORT, attempts: SILENT_ATTEMPTS.filter });
    const savedAt = performance.now();
    const watched = hosts.map(watch);
    const body = isOpening ? rules(PORT, EDITED_PORT) : rules(PORT);
    await world.call(updateRole, { params: { roleID }, body });
    for (const changedAt of await Promise.all(watched)) times.push(changedAt - savedAt);
  }
  return times;
}

/** From the request to the moment when the last host no longer answers the blocked one, time after time. */
async function blockGuest({ world, hosts, roleID }: Fleet): Promise<number[]> {
  const guest = await world.addHost("guest", { roleID });
  guest.start();
  const params = { hostID: guest.id };
  const times: number[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    await reachAll(guest, hosts);
    const blockedAt = performance.now();
    const watched = hosts.map((host) =>
      untilSilent(guest, host, { port: PORT, attempts: SILENT_ATTEMPTS.cut }),
    );
    await world.call(blockHostV2, { params });
    times.push(Math.max(...(await Promise.all(watched))) - blockedAt);
    await world.call(unblockHostV2, { params });
    const { code } = await world.call(createEnrollmentCode, { params });
    await guest.enroll(code, "--force");
  }
  return times;
}

function percentile(values: readonly number[], part: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1];
  if (value === undefined) throw new Error("A percentile of nothing");
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
    await fleet.world.remove();
  }
}

export async function dataplane(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const version of VERSIONS) figures.push(...(await measure(version)));
  return figures;
}
