import { describe, expect, it } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

const options = { slots: 4, share: 3, waitingMax: 100, waitMs: 10_000, unlimitedClass: "system" };
const tick = () => new Promise((resolve) => setTimeout(resolve, 2));

/** Runs work of these classes and returns in which order it started, and how much ran at a time. */
async function run(classes: string[], given = options) {
  const queue = createFairQueue(given);
  const order: string[] = [];
  const running = new Map<string, number>();
  const most = new Map<string, number>();
  const count = (name: string, by: number) => {
    const now = (running.get(name) ?? 0) + by;
    running.set(name, now);
    most.set(name, Math.max(most.get(name) ?? 0, now));
  };
  const results = await Promise.allSettled(
    classes.map((name, index) =>
      queue.run(name, async () => {
        order.push(name);
        for (const counted of [name, "all"]) count(counted, 1);
        await tick();
        for (const counted of [name, "all"]) count(counted, -1);
        if (index % 5 === 0) throw new Error(name);
      }),
    ),
  );
  return { order, most, results, waiting: queue.waitingCount };
}

describe("a fair queue", () => {
  it("runs all work, never more than its slots, even after failures", async () => {
    const { most, results, waiting } = await run(Array.from({ length: 40 }, (_, n) => `class ${n % 7}`));
    expect(most.get("all")).toBe(4);
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(8);
    expect(waiting).toBe(0);
  });

  it("leaves slots for other classes, and alternates between waiting classes", async () => {
    const { order, most } = await run([...Array<string>(30).fill("a"), ...Array<string>(3).fill("b")]);
    expect(most.get("a")).toBe(3);
    expect(order.lastIndexOf("b")).toBeLessThan(12);
  });

  it("lets the system use every slot", async () => {
    expect((await run(Array<string>(12).fill("system"))).most.get("system")).toBe(4);
  });

  it("rejects work beyond the queue limit of a class, but not of other classes", async () => {
    const classes = [...Array<string>(20).fill("a"), "b"];
    const { results } = await run(classes, { ...options, waitingMax: 5 });
    const rejected = results.filter(
      (result) => result.status === "rejected" && result.reason.message === "ERR_TOO_MANY_REQUESTS",
    );
    expect(rejected).toHaveLength(12);
    expect(results.at(-1)?.status).toBe("rejected");
    expect((results.at(-1) as PromiseRejectedResult).reason.message).toBe("b");
  });

  it("rejects work that has waited too long", async () => {
    const queue = createFairQueue({ ...options, slots: 1, waitMs: 20 });
    const release = await queue.acquire("a");
    await expect(queue.acquire("b")).rejects.toThrow("ERR_UNAVAILABLE");
    expect(queue.waitingCount).toBe(0);
    release();
    release();
    (await queue.acquire("b"))();
  });
});
