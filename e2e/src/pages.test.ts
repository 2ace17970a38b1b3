/** Every page by its URL, how much code it loads, and redirects from URLs of the wrong kind. */
import { blockHostV2 } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { consolePages } from "./console-pages.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { formatLoads, kilobytesOf, type Load, type Recorder, record, scriptsOf } from "./loads.ts";
import { openPage } from "./open-page.ts";
import { button, expectPath, expectTitle, heading, link, PATIENT, rowOf } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let fleet: Fleet;
let page: Page;
let loads: Recorder;
/** The code of the first page that most people open. */
let firstScripts: ReadonlySet<string>;
const figures: string[] = [];

/** How much compressed code a page may load in addition. */
const FURTHER_KB_MAX = 40;
/** The map also loads the library that zooms and pans. */
const MAP_KB_MAX = 46;

beforeAll(async () => {
  const account = await createAccount(server);
  fleet = await createFleet(account.call);
  await account.call(blockHostV2, { params: { hostID: fleet.boats[1]!.id } });
  ({ page } = await visit({ account }));
  loads = await record(page);
  await page.goto("/hosts");
  await heading(page, "Hosts · 4").waitFor();
  await loads.waitUntilIdle();
  firstScripts = new Set(scriptsOf(loads.takeNew()).map(({ path }) => path));
});
afterAll(() => process.stdout.write(`${figures.join("\n")}\n`));

const boat = () => fleet.boats[0]!.id;

async function expectPage(path: string, name: string, title: string): Promise<void> {
  // By element, not by role: a dialog hides the page's heading from assistive technology.
  await page.locator("h1").filter({ hasText: name }).first().waitFor();
  await expectTitle(page, title);
  await expectPath(page, path);
}

/** Pages without the menu are loaded again by navigation. */
const uniqueByPath = (scripts: readonly Load[]) => [
  ...new Map(scripts.map((script) => [script.path, script])).values(),
];

describe("a URL", () => {
  it.each(consolePages)(
    "opens a page with its title, directly and by navigation, with little code: $what [S1.5] [S2.5] [S2.7] [S2.8] [S2.9] [S2.11] [S2.12] [S2.13] [S2.20]",
    async ({ path, name, title }) => {
      const url = path(fleet);
      loads.takeNew();
      const answer = await page.goto(url);
      expect(answer?.status()).toBe(200);
      await expectPage(url, name, title);
      await openPage(page, url);
      await expectPage(url, name, title);
      const loaded = uniqueByPath(scriptsOf(loads.takeNew()));
      expect(loaded.length).toBeGreaterThan(0);
      const scripts = loaded.filter(({ path: file }) => !firstScripts.has(file));
      const kilobytes = kilobytesOf(scripts);
      figures.push(`${kilobytes.toFixed(1).padStart(7)} KB for ${url}`);
      expect(loads.failed).toEqual([]);
      expect(
        kilobytes > (url === "/hosts/map" ? MAP_KB_MAX : FURTHER_KB_MAX) ? formatLoads(scripts) : [],
      ).toEqual([]);
    },
  );

  it("can be reached with Back and Forward", async () => {
    const visited = consolePages.slice(0, 4);
    for (const { path, name } of visited) {
      await page.goto(path(fleet));
      await heading(page, name).waitFor();
    }
    for (const { path, name, title } of visited.slice(0, -1).reverse()) {
      await page.goBack();
      await expectPage(path(fleet), name, title);
    }
    for (const { path, name, title } of visited.slice(1)) {
      await page.goForward();
      await expectPage(path(fleet), name, title);
    }
  });

  it("changes with each clicked link, and Back restores the list", async () => {
    await page.goto("/hosts?filter.search=boat&sort=-name");
    await rowOf(page, "boat-03").waitFor();
    const names = () =>
      page
        .getByRole("row")
        .getByRole("link", { name: /^boat-/ })
        .allInnerTexts();
    expect(await names()).toEqual(["boat-03", "boat-02", "boat-01"]);
    await link(page, "boat-01").click();
    await expectPage(`/hosts/${boat()}`, "boat-01", "boat-01");
    const parts = page.getByRole("navigation", { name: "Sections of boat-01" });
    await link(parts, "Config").click();
    await expectPage(`/hosts/${boat()}/config`, "boat-01", "boat-01");
    await link(parts, "Debug").click();
    await expectPage(`/hosts/${boat()}/debug`, "boat-01", "Debug boat-01");
    for (let back = 0; back < 3; back++) await page.goBack();
    await expectPage("/hosts?filter.search=boat&sort=-name", "Hosts · 3", "Hosts");
    expect(await names()).toEqual(["boat-03", "boat-02", "boat-01"]);
    expect(await page.getByRole("searchbox").inputValue()).toBe("boat");
  });
});

describe("a dialog with a URL", () => {
  it.each([
    ["block", "Block host boat-01?"],
    ["delete", "Delete host boat-01?"],
  ])("opens above the host's page: %s", async (part, title) => {
    await page.goto(`/hosts/${boat()}/${part}`);
    const dialog = page.getByRole("alertdialog", { name: title });
    await dialog.waitFor();
    await page.reload();
    await dialog.waitFor();
    await button(dialog, "Cancel").click();
    await dialog.waitFor({ state: "hidden" });
    await expectPage(`/hosts/${boat()}`, "boat-01", "boat-01");
  });

  it("closes with Back, and opens again with Forward", async () => {
    await page.goto("/hosts");
    await button(page, "Actions for boat-01").click();
    await page.getByRole("menuitem", { name: "Block…" }).click();
    const dialog = page.getByRole("alertdialog", { name: "Block host boat-01?" });
    await dialog.waitFor();
    await page.goBack();
    await expectPage("/hosts", "Hosts · 4", "Hosts");
    await page.goForward();
    await dialog.waitFor();
    await button(dialog, "Cancel").click();
    await expectPage("/hosts", "Hosts · 4", "Hosts");
  });
});

describe("the URL of a host, lighthouse or relay", () => {
  const parts = ["", "/config", "/activity", "/debug", "/edit", "/enroll"];
  it.each(parts)("redirects a lighthouse's ID to its own path: {id}%s [S2.8]", async (part) => {
    await openPage(page, `/hosts/${fleet.lighthouse.id}${part}`);
    await expectPath(page, `/lighthouses/${fleet.lighthouse.id}${part}`);
    await heading(page, /beacon/).waitFor();
  });

  it.each(parts)(
    "redirects the IDs of a plain host and a relay to their paths: {id}%s [S2.7] [S2.9]",
    async (part) => {
      await openPage(page, `/relays/${boat()}${part}`);
      await expectPath(page, `/hosts/${boat()}${part}`);
      await openPage(page, `/lighthouses/${fleet.relay.id}${part}`);
      await expectPath(page, `/relays/${fleet.relay.id}${part}`);
    },
  );
});

describe("an ID that doesn't exist", () => {
  const unknown = "A".repeat(26);
  it.each([
    `/hosts/host-${unknown}`,
    `/hosts/host-${unknown}/edit`,
    `/hosts/host-${unknown}/enroll`,
    `/hosts/host-${unknown}/unblock`,
    `/hosts/host-${unknown}/debug`,
    `/hosts/host-${unknown}/block`,
    `/lighthouses/host-${unknown}`,
    `/relays/nonsense`,
    `/roles/role-${unknown}`,
    `/roles/add?copy=role-${unknown}`,
    `/routes/route-${unknown}`,
    "/tags/no:such",
    `/hosts/host-${unknown}/else`,
    "/hosts/add/else",
    "/tags/reorder/else",
  ])("shows the 404 page: %s [S2.23] [S4.11]", async (path) => {
    const answer = await page.goto(path);
    expect(answer?.status()).toBe(200);
    await expectPage(path, "Nothing here (404)", "Nothing here");
  });

  it("or belongs to another organization shows the same page", async () => {
    const { page: other } = await visit({ account: await createAccount(server) });
    await other.goto("/get-started");
    await other.getByRole("textbox", { name: "Name" }).fill("Elsewhere");
    await button(other, "Create network").click();
    await heading(other, "Set up your network").waitFor();
    for (const path of [`/hosts/${boat()}`, `/roles/${fleet.ferry.id}`, `/routes/${fleet.route.id}`]) {
      await other.goto(path);
      await expect
        .poll(() => other.getByRole("heading", { level: 1 }).allInnerTexts(), PATIENT)
        .toEqual(["Nothing here (404)"]);
    }
  });
});
