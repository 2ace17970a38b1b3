/** An error in the console reaches the operators' log and, when a DSN is set, Sentry. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { takeProblems, useBrowser } from "./browser.ts";
import { startServer, temporaryDataDir } from "./server-process.ts";
import { PATIENT } from "./steps.ts";

const visit = useBrowser();

it("sends uncaught errors to the server log and Sentry, under the strict policy, without secrets from the URL [S8.5]", async () => {
  const envelopes: string[] = [];
  const sentry = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      if (body) envelopes.push(body);
      response.writeHead(200, { "access-control-allow-origin": "*" }).end("{}");
    });
  });
  await new Promise<void>((done) => sentry.listen(0, "127.0.0.1", done));
  const dsn = `http://key@127.0.0.1:${(sentry.address() as AddressInfo).port}/7`;
  const { dataDir, remove } = temporaryDataDir();
  const server = await startServer({ dataDir, environment: { WEB_SENTRY_DSN: dsn } });
  try {
    const visitor = await visit({ url: server.url });
    await visitor.page.goto("/auth/magic-link?magicLinkToken=hush-hush");
    await visitor.page.getByRole("button", { name: "Log in" }).waitFor();
    await visitor.page.evaluate(() => {
      setTimeout(() => {
        throw new Error("The lamp went out");
      });
    });
    await expect.poll(() => envelopes.join(), { timeout: 10_000 }).toContain("The lamp went out");
    await expect.poll(() => server.output(), { timeout: 10_000 }).toContain("The lamp went out");
    expect(envelopes.join()).not.toContain("hush-hush");
    expect(server.output()).not.toContain("hush-hush");
    // The browser's own message, and the console's.
    let problems = 0;
    await expect.poll(() => (problems += takeProblems(visitor, /The lamp went out/).length), PATIENT).toBe(2);
  } finally {
    await server.stop();
    await new Promise((done) => sentry.close(done));
    remove();
  }
});
