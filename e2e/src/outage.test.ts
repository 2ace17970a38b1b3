/** The server goes down while the console is in use, and comes back. */
import { createHostV2, createNetwork, type Network } from "@lightkeeper/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { takeProblems, useBrowser } from "./browser.ts";
import { freePort } from "./free-port.ts";
import { type ServerProcess, startServer, temporaryDataDir } from "./server-process.ts";
import { button, expectPath, field, heading, link, rowOf, expectText, PATIENT } from "./steps.ts";

const visit = useBrowser();
const { dataDir, remove } = temporaryDataDir();
let port: number;
let server: ServerProcess;
let account: Account;
let harbour: Network;

beforeAll(async () => {
  port = await freePort();
  server = await startServer({ dataDir, port });
  account = await createAccount(server);
  harbour = await account.call(createNetwork, { body: { name: "Harbour" } });
});
afterAll(async () => {
  await server.stop();
  remove();
});

const REFUSED =
  /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)/;

it("the console keeps the data on screen and unsaved input, shows the outage, and recovers without a reload", async () => {
  const visitor = await visit({ account, url: server.url });
  const { page } = visitor;
  await page.goto("/settings/networks");
  await rowOf(page, "Harbour").waitFor();
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  expect(await server.stop()).toBe(0);

  const banner = page.getByText(/^Can’t reach Lightkeeper\./);
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
  await visitor.context.close();
  expect(takeProblems(visitor, REFUSED).length).toBeGreaterThan(0);
});

it("the console keeps hosts and their pages on screen, marked as outdated, and then continues", async () => {
  const visitor = await visit({ account, url: server.url });
  const { page } = visitor;
  for (const name of ["boat-01", "boat-02"])
    await account.call(createHostV2, { body: { name, networkID: harbour.id } });
  await page.goto("/hosts");
  await link(page, "boat-02").click();
  await heading(page, "boat-02").waitFor();
  // The page loads the code of its cards after its heading. Without that code, it would be reloaded after the outage.
  await page.getByRole("heading", { level: 2, name: "Configuration" }).waitFor();
  await page.goBack();
  await rowOf(page, "boat-01").waitFor();
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await server.stop();
  const banner = page.getByText(/^Can’t reach Lightkeeper\./);
  await banner.waitFor();
  await page.getByText(/Showing data from \d{1,2}:\d\d/).waitFor();
  await link(page, "boat-01").click();
  await page.getByRole("button", { name: "Try again" }).first().waitFor();
  await page.goBack();
  await rowOf(page, "boat-01").waitFor();
  expect(await banner.isVisible()).toBe(true);

  server = await startServer({ dataDir, port });
  await banner.waitFor({ state: "detached" });
  await account.call(createHostV2, { body: { name: "boat-03", networkID: harbour.id } });
  await rowOf(page, "boat-03").waitFor({ timeout: 40_000 });
  await link(page, "boat-01").click();
  await heading(page, "boat-01").waitFor();
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
  await visitor.context.close();
  expect(takeProblems(visitor, REFUSED).length).toBeGreaterThan(0);
});

it("the console shows that a host was not saved, keeps the form, and saves it when the server is back", async () => {
  const visitor = await visit({ account, url: server.url });
  const { page } = visitor;
  const alerts: string[] = [];
  page.on("dialog", (dialog) => {
    alerts.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto("/hosts/add");
  await field(page, "Name").fill("boat in the fog");
  await page.getByRole("combobox", { name: "Network" }).fill("Harbour");
  await page.getByRole("option", { name: "Harbour" }).click();
  await server.stop();
  await button(page, "Add host").click();
  await expect.poll(() => alerts.length, PATIENT).toBe(1);
  expect(alerts[0]).not.toBe("");
  expect(await field(page, "Name").inputValue()).toBe("boat in the fog");
  await expectPath(page, "/hosts/add");

  server = await startServer({ dataDir, port });
  await page.getByText(/^Can’t reach Lightkeeper\./).waitFor({ state: "detached" });
  await button(page, "Add host").click();
  await expectText(page, "boat in the fog added");
  await heading(page, "Enroll boat in the fog").waitFor();
  expect(alerts).toHaveLength(1);
  await visitor.context.close();
  expect(takeProblems(visitor, REFUSED).length).toBeGreaterThan(0);
});
