import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { createReporter } from "./reporter.ts";

it("sends an unexpected error with its request ID to Sentry if a DSN is set", async () => {
  const received: { url: string; body: string }[] = [];
  const sentry = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      received.push({ url: request.url ?? "", body });
      response.end("{}");
    });
  });
  await new Promise<void>((done) => sentry.listen(0, "127.0.0.1", done));
  const { port } = sentry.address() as AddressInfo;
  const report = createReporter({ sentryDSN: `http://key@127.0.0.1:${port}/7`, appEnv: "alpha" }, "1.2.3");
  report.error(new TypeError("broken"), "req-A");
  await report.flush();
  await new Promise((done) => sentry.close(done));
  expect(received).toHaveLength(1);
  expect(received[0]?.url).toMatch(/^\/api\/7\/envelope\//);
  const event = JSON.parse(received[0]?.body.split("\n")[2] ?? "{}") as Record<string, unknown>;
  expect(event).toMatchObject({
    environment: "alpha",
    release: "1.2.3",
    tags: { requestID: "req-A" },
    exception: { values: [{ type: "TypeError", value: "broken" }] },
  });
});

it("sends nothing without a DSN", async () => {
  const report = createReporter({ sentryDSN: undefined, appEnv: "local" }, "1.2.3");
  report.error(new Error("broken"));
  expect(await report.flush()).toBeUndefined();
});
