import { setImmediate as nextTurn } from "node:timers/promises";
import Fastify from "fastify";
import { expect, it } from "vitest";
import { createShutdown } from "./shutdown.ts";

it("any number of streams can wait for the shutdown without a warning", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on("warning", onWarning);
  const { signal } = createShutdown(Fastify());
  for (let stream = 0; stream < 20; stream++) signal.addEventListener("abort", () => undefined);
  await nextTurn();
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});
