import { expect, it, vi } from "vitest";
import type { AgentCall } from "../agents/control-plane.ts";
import type { WaitersToCheck } from "./affected-waiters.ts";
import type { Snapshot } from "./snapshot.ts";
import { UpdatePace } from "./update-pace.ts";
import type { Waiter } from "./waiting-hosts.ts";
import { WakeQueues } from "./wake-queues.ts";

const AT_ONCE = 1000;
const MANY = 3000;
const NEVER_MS = 1_000_000;
const snapshot = { revision: 2 } as Snapshot;

const hostOf = (organizationID: string, number: number) => ({ id: `host-${number}`, organizationID });
const waiterOf = (organizationID: string, number: number): Waiter => ({
  call: { host: hostOf(organizationID, number) } as AgentCall,
  supportedActions: [],
  update: undefined,
  isOpen: true,
  isUpdating: false,
  reply: () => {},
  fail: () => {},
  hold: () => {},
  release: () => {},
});
const waitersOf = (organizationID: string, count: number, first = 0): WaitersToCheck =>
  new Map(Array.from({ length: count }, (_, index) => [waiterOf(organizationID, first + index), snapshot]));

/** Queues that offer an update to every host, and the hosts in the order in which they were checked. */
function startQueues(waitMsMax = NEVER_MS, offers: (id: string) => boolean = () => true) {
  const checked: string[] = [];
  const errors: unknown[] = [];
  const queues = new WakeQueues({
    checkAll: async (waiters) => {
      const ids = [...waiters.keys()].map(({ call }) => call.host.id);
      checked.push(...ids);
      return ids.filter(offers);
    },
    onError: (error) => errors.push(error),
    createPace: () => new UpdatePace(waitMsMax),
  });
  return { queues, checked, errors };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it("the hosts of a small organization are woken immediately", async () => {
  const { queues, checked } = startQueues();
  queues.add(waitersOf("org-a", AT_ONCE));
  await nextTurn();
  expect(checked).toHaveLength(AT_ONCE);
});

it("of many hosts, more are woken when half of the earlier ones have fetched their update", async () => {
  const { queues, checked } = startQueues();
  queues.add(waitersOf("org-a", MANY));
  await nextTurn();
  expect(checked).toHaveLength(AT_ONCE);
  for (let number = 0; number < AT_ONCE / 2 - 1; number++) queues.recordFetch(hostOf("org-a", number));
  await nextTurn();
  expect(checked).toHaveLength(AT_ONCE);
  queues.recordFetch(hostOf("org-a", AT_ONCE - 1));
  await nextTurn();
  expect(checked).toHaveLength(AT_ONCE * 1.5);
  expect(new Set(checked).size).toBe(checked.length);
});

it("the update of a woken host is expected until it fetches it", async () => {
  const { queues } = startQueues();
  queues.add(waitersOf("org-a", MANY));
  await nextTurn();
  expect(queues.isFetchExpected("host-1")).toBe(true);
  expect(queues.isFetchExpected(`host-${MANY - 1}`)).toBe(false);
  queues.recordFetch(hostOf("org-a", 1));
  expect(queues.isFetchExpected("host-1")).toBe(false);
});

it("hosts without an update delay none, and neither do hosts that don't fetch theirs", async () => {
  const idle = startQueues(NEVER_MS, () => false);
  idle.queues.add(waitersOf("org-a", MANY));
  await vi.waitFor(() => expect(idle.checked).toHaveLength(MANY));
  const slow = startQueues(1);
  slow.queues.add(waitersOf("org-a", MANY));
  await vi.waitFor(() => expect(slow.checked).toHaveLength(MANY), 20_000);
});

it("another organization doesn't wait", async () => {
  const { queues, checked } = startQueues();
  queues.add(waitersOf("org-a", MANY));
  await nextTurn();
  queues.add(waitersOf("org-b", 10, 5000));
  await nextTurn();
  expect(checked.slice(AT_ONCE)).toEqual(Array.from({ length: 10 }, (_, index) => `host-${5000 + index}`));
});

it("a host whose own row may have changed comes before the others, and is checked once", async () => {
  const { queues, checked } = startQueues();
  const waiters = waitersOf("org-a", MANY);
  queues.add(waiters);
  await nextTurn();
  const last = [...waiters.keys()].at(-1)!;
  queues.add(new Map([[last, undefined]]));
  queues.add(new Map([[last, snapshot]]));
  for (let number = 0; number < AT_ONCE; number++) queues.recordFetch(hostOf("org-a", number));
  await nextTurn();
  expect(checked.indexOf(`host-${MANY - 1}`)).toBe(AT_ONCE);
  await vi.waitFor(() => {
    for (const id of checked) queues.recordFetch({ id, organizationID: "org-a" });
    expect(new Set(checked).size).toBe(MANY);
  });
  expect(checked).toHaveLength(MANY);
});

it("hosts that are added while others are being checked are checked too, and so are hosts after a failure", async () => {
  let failure: Error | undefined = new Error("The database is down");
  const checked: string[] = [];
  const errors: unknown[] = [];
  const queues = new WakeQueues({
    checkAll: async (waiters) => {
      await nextTurn();
      if (failure) throw failure;
      for (const { call } of waiters.keys()) checked.push(call.host.id);
      return [];
    },
    onError: (error) => errors.push(error),
  });
  queues.add(waitersOf("org-a", 1));
  await vi.waitFor(() => expect(errors).toEqual([failure]));
  failure = undefined;
  queues.add(waitersOf("org-a", 1, 1));
  await Promise.resolve();
  await Promise.resolve();
  queues.add(waitersOf("org-a", 1, 2));
  await vi.waitFor(() => expect(checked).toEqual(["host-1", "host-2"]));
});

it("a stopped queue checks no more hosts", async () => {
  const { queues, checked } = startQueues(1);
  queues.add(waitersOf("org-a", MANY));
  await queues.stop();
  expect(checked).toHaveLength(AT_ONCE);
});
