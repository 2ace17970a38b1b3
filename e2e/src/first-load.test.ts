/** How much code the first page loads. */
import { beforeAll, expect, inject, it } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { createFleet } from "./fleet.ts";
import { formatLoads, kilobytesOf, record, scriptsOf } from "./loads.ts";
import { rowOf } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let account: Account;

const FIRST_KB_MAX = 185;

beforeAll(async () => {
  account = await createAccount(server);
  await createFleet(account.call, { boats: 24 });
});

it(`loads /hosts with at most ${FIRST_KB_MAX} KB of JavaScript, compressed, without full zod`, async () => {
  const { page } = await visit({ account });
  const { all, failed, waitUntilIdle, takeNew } = await record(page);
  await page.goto("/hosts");
  await rowOf(page, "boat-01").waitFor();
  await page.getByRole("heading", { level: 1, name: "Hosts · 25", exact: true }).waitFor();
  await waitUntilIdle();
  const scripts = scriptsOf(takeNew());
  const kilobytes = kilobytesOf(scripts);
  const calls = all().filter(({ path }) => /^\/v\d\//.test(path));
  const figures = [
    `${kilobytes.toFixed(1)} KB of JavaScript in ${scripts.length} files, ${calls.length} calls of the API`,
    ...formatLoads(scripts),
    ...calls.map(({ path }) => `           ${path}`),
  ].join("\n");
  process.stdout.write(`${figures}\n`);

  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.every(({ bytes }) => bytes > 0)).toBe(true);
  expect(kilobytes > FIRST_KB_MAX ? figures : "within the limit").toBe("within the limit");
  expect(failed).toEqual([]);
  expect(all().filter(({ status }) => status >= 400)).toEqual([]);
  const assets = all().filter(({ path }) => /^\/assets\/.*\.(js|css)$/.test(path));
  const plain = assets.filter(({ encoding }) => encoding !== "br");
  // Below a kilobyte compressing is not worth it; another kilobyte is for the headers.
  expect(plain.filter(({ bytes }) => bytes > 2048)).toEqual([]);
  expect(assets.length).toBeGreaterThan(plain.length);

  const sources = await Promise.all(scripts.map(async ({ path }) => (await fetch(server.url + path)).text()));
  const source = sources.join("\n");
  // The small library names its classes "ZodMini…", the full library "Zod…".
  expect(source).toMatch(/["'`]ZodMini(String|Object|Literal)["'`]/);
  expect(source).not.toMatch(/["'`]Zod(String|Object|Literal)["'`]/);
});
