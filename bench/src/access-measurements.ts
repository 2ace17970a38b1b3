/** Measures the access engine; runs in Node and in a worker of a browser. */
import { changeNetwork, diff, findNewViolations, matrix, verdict } from "@lightkeeper/nebula/access";
import type { AccessGuarantee, AccessNetwork } from "@lightkeeper/nebula/access";
import { createLargeNetwork, createNumbers, createRule, ROLES } from "./large-network.ts";

/** Milliseconds of each run. */
export type Measurements = Record<
  "check" | "preview" | "matrix" | "largePreview" | "hostChange" | "roleChange",
  number[]
>;

const [SIZE, LARGE_SIZE] = [10_000, 100_000];
const GUARANTEES = 50;
/** The first runs fill caches. */
const WARM_UP_RUNS = 5;

function measure(runs: number, work: (run: number) => unknown): number[] {
  const times: number[] = [];
  for (let run = 0; run < runs + WARM_UP_RUNS; run += 1) {
    const start = performance.now();
    work(run);
    times.push(performance.now() - start);
  }
  return times.slice(WARM_UP_RUNS);
}

const NOTHING = {
  hostIDs: new Set<string>(),
  roleIDs: new Set<string>(),
  tags: new Set<string>(),
  routeIDs: new Set<string>(),
};

function createGuarantees(next: (limit: number) => number): AccessGuarantee[] {
  return Array.from({ length: GUARANTEES }, (_, number) => ({
    id: `guarantee-${number}`,
    type: number % 3 === 0 ? "MUST_REACH" : "MUST_NEVER_REACH",
    source: { type: "role", id: `role-${next(ROLES)}` },
    destination: { type: "tag", id: `tag-${next(500)}` },
    protocol: "TCP",
    portRange: { from: 22, to: 22 },
  }));
}

/** Edits one rule of a role, as a form does: with new objects for all rules. */
function editRole(network: AccessNetwork, next: (limit: number) => number) {
  const id = `role-${next(ROLES)}`;
  const kept = network.roles.get(id)!.slice(1);
  const rules = [...kept.map((rule) => ({ ...rule })), createRule(next)];
  return { id, after: changeNetwork(network, { roles: new Map([[id, rules]]) }) };
}

/** Shows what a preview needs first: how many pairs change. */
function preview(network: AccessNetwork, next: (limit: number) => number): number {
  const { opened, closed } = diff(network, editRole(network, next).after);
  return [...opened, ...closed].reduce((sum, { pairs }) => sum + pairs, 0);
}

function measureGuarantees(network: AccessNetwork): Pick<Measurements, "hostChange" | "roleChange"> {
  const next = createNumbers(3);
  const guarantees = createGuarantees(next);
  const hosts = network.hosts;
  let current = network;
  const hostChange = measure(300, () => {
    const host = { ...hosts[next(SIZE)]!, tags: [`tag-${next(500)}`] };
    const after = changeNetwork(current, { hosts: new Map([[host.id, host]]) });
    findNewViolations(current, after, guarantees, { ...NOTHING, hostIDs: new Set([host.id]) });
    current = after;
  });
  const roleChange = measure(300, () => {
    const { id, after } = editRole(current, next);
    findNewViolations(current, after, guarantees, { ...NOTHING, roleIDs: new Set([id]) });
    current = after;
  });
  return { hostChange, roleChange };
}

export function measureAccess(): Measurements {
  const next = createNumbers(2);
  const network = createLargeNetwork(SIZE);
  const large = createLargeNetwork(LARGE_SIZE);
  const { hosts } = network;
  const check = () =>
    verdict(network, {
      source: hosts[next(SIZE)]!,
      destination: hosts[next(SIZE)]!.addresses[0]!,
      traffic: { protocol: "TCP", port: 22 },
    });
  return {
    check: measure(200, check),
    preview: measure(30, () => preview(network, next)),
    matrix: measure(3, () => matrix({ ...network })),
    largePreview: measure(15, () => preview(large, next)),
    ...measureGuarantees(network),
  };
}
