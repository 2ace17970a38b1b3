/** What the first visit of the networks page costs, as served. */
import { createNetwork } from "@lightkeeper/contract";
import type { CDPSession } from "playwright-core";
import { expect, inject, it } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { heading, rowOf } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");

const JAVASCRIPT_KB_MAX = 170;

const IDLE_MS = 750;

interface Load {
  path: string;
  type: string;
  status: number;
  encoding: string;
  bytes: number;
}

/** Every request from now on, with what it really cost on the wire. */
async function record(protocol: CDPSession) {
  const loads = new Map<string, Load>();
  const failed: string[] = [];
  await protocol.send("Network.enable");
  await protocol.send("Network.setCacheDisabled", { cacheDisabled: true });
  protocol.on("Network.responseReceived", ({ requestId, type, response }) => {
    const { pathname } = new URL(response.url);
    const encoding = response.headers["content-encoding"] ?? "";
    loads.set(requestId, { path: pathname, type, status: response.status, encoding, bytes: 0 });
  });
  protocol.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const load = loads.get(requestId);
    if (load) load.bytes = encodedDataLength;
  });
  protocol.on("Network.loadingFailed", ({ requestId, errorText }) =>
    failed.push(`${loads.get(requestId)?.path ?? requestId}: ${errorText}`),
  );
  return { all: () => [...loads.values()], failed };
}

it(`loads /settings/networks with at most ${JAVASCRIPT_KB_MAX} KB of JavaScript, compressed, without full zod`, async () => {
  const account = await createAccount(server);
  await account.call(createNetwork, { body: { name: "Harbour" } });
  const { page, context } = await visit({ account });
  const { all, failed } = await record(await context.newCDPSession(page));
  await page.goto("/settings/networks");
  await rowOf(page, "Harbour").waitFor();
  await heading(page, "Networks · 1").waitFor();
  // The event stream never ends, so the network counts as idle when nothing new has come for a while.
  let seen = 0;
  while (seen !== all().length) {
    seen = all().length;
    await page.waitForTimeout(IDLE_MS);
  }

  const scripts = all().filter(({ type, path }) => type === "Script" || path.endsWith(".js"));
  const kilobytes = scripts.reduce((sum, { bytes }) => sum + bytes, 0) / 1024;
  const calls = all().filter(({ path }) => /^\/v\d\//.test(path));
  const figures = [
    `${kilobytes.toFixed(1)} KB of JavaScript in ${scripts.length} files, ${calls.length} calls of the API`,
    ...scripts.map(({ path, bytes }) => `${(bytes / 1024).toFixed(1).padStart(7)} KB ${path}`),
    ...calls.map(({ path }) => `           ${path}`),
  ].join("\n");
  process.stdout.write(`${figures}\n`);

  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.every(({ bytes }) => bytes > 0)).toBe(true);
  expect(kilobytes > JAVASCRIPT_KB_MAX ? figures : "within the limit").toBe("within the limit");
  expect(failed).toEqual([]);
  expect(all().filter(({ status }) => status >= 400)).toEqual([]);
  const assets = all().filter(({ path }) => /^\/assets\/.*\.(js|css)$/.test(path));
  const plain = assets.filter(({ encoding }) => encoding !== "br");
  // Below a kilobyte compressing is not worth it; another kilobyte is for the headers.
  expect(plain.filter(({ bytes }) => bytes > 2048)).toEqual([]);
  expect(assets.length).toBeGreaterThan(plain.length);

  const sources = await Promise.all(scripts.map(async ({ path }) => (await fetch(server.url + path)).text()));
  const source = sources.join("\n");
  // The small library names its classes "ZodMini…", the full one "Zod…".
  expect(source).toMatch(/["'`]ZodMini(String|Object|Literal)["'`]/);
  expect(source).not.toMatch(/["'`]Zod(String|Object|Literal)["'`]/);
});
