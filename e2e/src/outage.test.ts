/** The server goes away while someone works, and comes back. */
import { createNetwork } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { takeComplaints, useBrowser } from "./browser.ts";
import { freePort, type ServerProcess, startServer, temporaryDataDir } from "./server-process.ts";
import { button, expectPath, field, heading, link, rowOf, expectText, PATIENT } from "./steps.ts";

const visit = useBrowser();
const { dataDir, remove } = temporaryDataDir();
let port: number;
let server: ServerProcess;
let account: Account;

beforeAll(async () => {
  port = await freePort();
  server = await startServer({ dataDir, port });
  account = await createAccount(server);
  await account.call(createNetwork, { body: { name: "Harbour" } });
});
afterAll(async () => {
  await server.stop();
  remove();
});

const REFUSED =
  /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)/;

it("keeps the data on screen and what is typed, says so, and recovers without a reload", async () => {
  const visitor = await visit({ account, url: server.url });
  const { page } = visitor;
  await page.goto("/settings/networks");
  await rowOf(page, "Harbour").waitFor();
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  expect(await server.stop()).toBe(0);

  const banner = page.getByText("Can’t reach Lightkeeper.");
  await banner.waitFor();
  await page.getByText(/Showing data from \d{1,2}:\d\d/).waitFor();
  expect(await rowOf(page, "Harbour").isVisible()).toBe(true);

  const alerts: string[] = [];
  page.on("dialog", (dialog) => {
    alerts.push(dialog.message());
    void dialog.dismiss();
  });
  server = await startServer({ dataDir, port });
  await banner.waitFor({ state: "detached" });
  await account.call(createNetwork, { body: { name: "After the outage" } });
  await heading(page, "Networks · 2").waitFor({ timeout: 40_000 });
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);

  await link(page, "Add network").click();
  await field(page, "Name").fill("Written in the dark");
  await server.stop();
  await button(page, "Add network").click();
  await expect.poll(() => alerts.length, PATIENT).toBe(1);
  await banner.waitFor();
  expect(await field(page, "Name").inputValue()).toBe("Written in the dark");
  await expectPath(page, "/settings/networks/add");

  server = await startServer({ dataDir, port });
  await banner.waitFor({ state: "detached" });
  await button(page, "Add network").click();
  await expectText(page, "Network Written in the dark added");
  await heading(page, "Networks · 3").waitFor();
  expect(alerts).toHaveLength(1);
  expect(takeComplaints(visitor, REFUSED).length).toBeGreaterThan(0);
});
