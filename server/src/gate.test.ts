import { expect, it } from "vitest";
import { createGate } from "./gate.ts";

it("lets so many through at a time, in the order they came, whatever becomes of them", async () => {
  const pass = createGate(2);
  const order: number[] = [];
  let inside = 0;
  let most = 0;
  const work = (number: number) => async () => {
    most = Math.max(most, ++inside);
    order.push(number);
    await new Promise((resolve) => setTimeout(resolve, 2));
    inside--;
    if (number % 3 === 0) throw new Error(`${number}`);
    return number;
  };
  const results = await Promise.allSettled(Array.from({ length: 12 }, (_, number) => pass(work(number))));
  expect(most).toBe(2);
  expect(order).toEqual(Array.from({ length: 12 }, (_, number) => number));
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(4);
  expect(await pass(() => Promise.resolve("still open"))).toBe("still open");
});
