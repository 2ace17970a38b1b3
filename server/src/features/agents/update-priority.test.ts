import { expect, it, vi } from "vitest";
import { createUpdatePriority, type UpdatePriority } from "./update-priority.ts";

const MANY = 60;
const nextTick = () => new Promise((resolve) => setImmediate(resolve));

/** Updates of as many hosts, each in progress until it is finished. */
function startUpdates(priority: UpdatePriority, count: number, hostID = (index: number) => `host-${index}`) {
  const finishers: (() => void)[] = [];
  const all = Array.from({ length: count }, (_, index) =>
    priority.run(hostID(index), () => new Promise<void>((finish) => finishers.push(finish))),
  );
  const finish = (howMany: number) => finishers.splice(0, howMany).forEach((finishOne) => finishOne());
  return { finish, all: Promise.all(all) };
}

/** The numbers of the messages that no longer wait. */
function startWaiting(priority: UpdatePriority, count: number): number[] {
  const released: number[] = [];
  for (let number = 0; number < count; number++) void priority.wait().then(() => released.push(number));
  return released;
}

it("no message waits while few hosts fetch updates", async () => {
  const priority = createUpdatePriority(() => 0);
  startUpdates(priority, 10);
  await priority.wait();
  expect(await priority.run("host-a", async () => "its answer")).toBe("its answer");
});

it("other messages wait while many hosts fetch updates, and continue in the order they arrived", async () => {
  const priority = createUpdatePriority(() => 0);
  const updates = startUpdates(priority, MANY);
  const released = startWaiting(priority, 3);
  await nextTick();
  expect(released).toEqual([]);
  updates.finish(MANY);
  await updates.all;
  await nextTick();
  expect(released).toEqual([0, 1, 2]);
});

it("messages continue in groups, so that updates that arrive meanwhile come before the rest", async () => {
  const priority = createUpdatePriority(() => 0);
  const updates = startUpdates(priority, MANY);
  const released = startWaiting(priority, 250);
  updates.finish(MANY);
  await updates.all;
  await nextTick();
  expect(released).toHaveLength(100);
  const next = startUpdates(priority, MANY);
  await nextTick();
  await nextTick();
  expect(released).toHaveLength(100);
  next.finish(MANY);
  await next.all;
  for (let round = 0; round < 3; round++) await nextTick();
  expect(released).toHaveLength(250);
});

it("a host counts once, however many updates it requests", async () => {
  const priority = createUpdatePriority(() => 0);
  const updates = startUpdates(priority, MANY, () => "host-a");
  const early = startWaiting(priority, 1);
  await nextTick();
  expect(early).toEqual([0]);
  updates.finish(MANY - 1);
  await nextTick();
  const others = startUpdates(priority, MANY - 11);
  const released = startWaiting(priority, 1);
  await nextTick();
  expect(released).toEqual([]);
  updates.finish(1);
  await updates.all;
  await nextTick();
  expect(released).toEqual([0]);
  others.finish(MANY);
});

it("no message waits longer than the longest wait, and a failed update no longer counts", async () => {
  const priority = createUpdatePriority(() => 0, 20);
  startUpdates(priority, MANY);
  await priority.wait();
  const fresh = createUpdatePriority(() => 0);
  const failing = Array.from({ length: MANY }, (_, index) =>
    fresh.run(`host-${index}`, async () => {
      throw new Error("rejected");
    }),
  );
  await Promise.allSettled(failing);
  await fresh.wait();
  await expect(failing[0]).rejects.toThrow("rejected");
});

it("other messages wait while many waiting hosts are to be checked", async () => {
  let hostsToCheck = MANY;
  const priority = createUpdatePriority(() => hostsToCheck);
  const released = startWaiting(priority, 3);
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(released).toEqual([]);
  hostsToCheck = 0;
  await vi.waitFor(() => expect(released).toEqual([0, 1, 2]));
});
