/** Lists on the smallest phone: what is visible first, and what opens as a sheet. */
import { createHostV2, createTag, listHostsV2 } from "@lightkeeper/contract";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { openPage } from "./open-page.ts";
import { expectAccessibleScreen, expectToFit } from "./screen-checks.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { keysOf } from "./keys.ts";
import {
  button,
  checkbox,
  expectFocus,
  expectText,
  field,
  heading,
  link,
  PATIENT,
  pick,
  picker,
  rowOf,
} from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
const SIZE = { width: 320, height: 568 };
const LONG = "aaa-db-primary-01.production.eu-central-1.internal.example.com";
const TAGS = Array.from({ length: 12 }, (_, number) => `rack:${number}`);

let account: Account;
let fleet: Fleet;
let page: Page;

beforeAll(async () => {
  account = await createAccount(server);
  fleet = await createFleet(account.call, { boats: 4 });
  for (const name of TAGS) await account.call(createTag, { body: { name } });
  const { id: networkID } = fleet.harbour;
  await account.call(createHostV2, { body: { name: LONG, networkID, tags: TAGS } });
  ({ page } = await visit({ account, ...SIZE }));
});

async function open(path: string): Promise<Page> {
  await page.setViewportSize(SIZE);
  await openPage(page, path);
  await heading(page, /./).waitFor();
  return page;
}

const boxOf = async (target: Locator) => (await target.boundingBox())!;

describe.each([false, true])("at 320 × 568 px, with a touch screen: %s", (touch) => {
  let page: Page;
  beforeAll(async () => {
    ({ page } = await visit({ account, ...SIZE, touch }));
  });

  it.each([
    ["/hosts", LONG],
    ["/lighthouses", "beacon"],
    ["/relays", "buoy"],
    ["/roles", "Lighthouse"],
    ["/routes", "Canal"],
    ["/tags", "pier:east"],
    ["/settings/networks", "Harbour"],
  ])("the first row is visible without scrolling, in two lines: %s", async (path, name) => {
    await openPage(page, path);
    await rowOf(page, name).waitFor();
    const { y, height } = await boxOf(page.locator("tbody tr").first());
    expect(y + height).toBeLessThanOrEqual(SIZE.height);
    expect(height).toBeLessThanOrEqual(touch ? 84 : 68);
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await expectToFit(page, path);
    const menu = await boxOf(button(page, `Actions for ${name}`));
    expect(Math.min(menu.width, menu.height)).toBeGreaterThanOrEqual(touch ? 44 : 24);
    expect((await boxOf(link(rowOf(page, name), name))).height).toBeGreaterThanOrEqual(touch ? 44 : 24);
  });
});

describe("a host's row", () => {
  it("has name and status in the first line, addresses, network and tags in the second", async () => {
    const page = await open("/hosts");
    const row = rowOf(page, LONG);
    await row.waitFor();
    const cells = row.getByRole("cell");
    expect(await cells.allInnerTexts()).toEqual([
      "",
      LONG,
      "Not enrolled",
      "",
      expect.stringMatching(/^100\.100\.0\.\d+ · Harbour\s*12 tags$/),
    ]);
    const [name, status, details] = await Promise.all([cells.nth(1), cells.nth(2), cells.nth(4)].map(boxOf));
    expect(Math.abs(name!.y + name!.height / 2 - (status!.y + status!.height / 2))).toBeLessThan(4);
    expect(details!.y).toBeGreaterThanOrEqual(name!.y + name!.height - 1);
  });

  it("shows the value that the list is sorted by", async () => {
    const page = await open("/hosts?sort=lastSeenAt");
    await rowOf(page, LONG).waitFor();
    expect(await rowOf(page, LONG).getByRole("cell").last().innerText()).toMatch(/^Last seen/);
  });
});

describe("filters", () => {
  it("are in a sheet behind one button, which counts them", async () => {
    const page = await open("/hosts");
    await rowOf(page, LONG).waitFor();
    expect(await button(page, "Status").count()).toBe(0);
    await button(page, "Filters").click();
    const sheet = page.getByRole("dialog", { name: "Filters" });
    await sheet.waitFor();
    const box = await boxOf(sheet);
    expect([box.x, box.width, Math.round(box.y + box.height)]).toEqual([0, SIZE.width, SIZE.height]);
    await button(sheet, "Tag").click();
    await page.getByRole("option", { name: "crew:night" }).click();
    await page.keyboard.press("Escape");
    await button(sheet, "Remove filter Tag: crew:night").waitFor();
    await button(sheet, "Done").click();
    await sheet.waitFor({ state: "detached" });
    await expectFocus(button(page, "Filters 1 active"));
    await heading(page, "Hosts · 1").waitFor();
    await rowOf(page, "boat-01").waitFor();
    expect(await rowOf(page, LONG).count()).toBe(0);
    await button(page, "Filters 1 active").click();
    await button(sheet, "Clear").click();
    await button(sheet, "Done").click();
    await rowOf(page, LONG).waitFor();
    await button(page, "Filters").waitFor();
  });

  it("work with only a keyboard", async () => {
    const page = await open("/hosts");
    const { use, press } = keysOf(() => page);
    await rowOf(page, LONG).waitFor();
    await use(button(page, "Filters"));
    const sheet = page.getByRole("dialog", { name: "Filters" });
    await expectFocus(button(sheet, "Network"));
    await press("Enter");
    await page.getByRole("option", { name: "Lagoon" }).waitFor();
    await press("ArrowDown", "ArrowDown", "Enter");
    await button(sheet, "Remove filter Network: Lagoon").waitFor();
    await use(button(sheet, "Done"));
    await expectFocus(button(page, "Filters 1 active"));
    await heading(page, "Hosts · 0").waitFor();
  });

  it("of the audit log are in a sheet too", async () => {
    const page = await open("/logs/audit");
    await button(page, "Filters").click();
    const sheet = page.getByRole("dialog", { name: "Filters" });
    await button(sheet, "Type").click();
    await page.getByRole("option", { name: "Networks" }).click();
    await button(sheet, "Done").click();
    await button(page, "Filters 1 active").waitFor();
    expect(new URL(page.url()).searchParams.get("filter.targetType")).toBe("network");
  });
});

describe("bulk actions", () => {
  it("are in a sheet and block the selected hosts", async () => {
    const page = await open("/hosts");
    await checkbox(page, "Select boat-02").check();
    await checkbox(page, "Select boat-03").check();
    const bar = page.getByRole("toolbar", { name: "Selected rows" });
    await expectText(bar, "2 selected");
    expect(await button(bar, "Block").count()).toBe(0);
    const { y, height, width } = await boxOf(bar);
    expect(y + height).toBeLessThanOrEqual(SIZE.height);
    expect(height).toBeLessThanOrEqual(64);
    expect(width).toBeLessThanOrEqual(SIZE.width);
    await button(bar, "Actions").click();
    const sheet = page.getByRole("dialog", { name: "2 selected" });
    await sheet.waitFor();
    for (const name of ["Add tags", "Remove tags", "Set role", "Block", "Unblock", "Delete"])
      expect((await boxOf(button(sheet, name))).height).toBeGreaterThanOrEqual(44);
    await button(sheet, "Block").click();
    const dialog = page.getByRole("alertdialog", { name: "Block 2 hosts?" });
    await field(dialog, /^Type/).fill("block 2 hosts");
    await button(dialog, "Block").click();
    await expect
      .poll(async () => {
        const { data } = await account.call(listHostsV2, { query: { "filter.status": "blocked" } });
        return data.map(({ name }) => name).toSorted();
      }, PATIENT)
      .toEqual(["boat-02", "boat-03"]);
  });

  it("add tags with only a keyboard, and restore the focus", async () => {
    const page = await open("/hosts");
    const { use, press } = keysOf(() => page);
    await rowOf(page, "boat-04").waitFor();
    await use(checkbox(page, "Select boat-04"), "Space");
    const bar = page.getByRole("toolbar", { name: "Selected rows" });
    await use(button(bar, "Actions"));
    const sheet = page.getByRole("dialog", { name: "1 selected" });
    await expectFocus(button(sheet, "Add tags"));
    await press("Enter");
    const dialog = page.getByRole("dialog", { name: /^Add tags/ });
    await expectFocus(picker(dialog, "Tags"));
    await press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expectFocus(button(bar, "Actions"));
    await press("Enter");
    await expectFocus(button(sheet, "Add tags"));
    await press("Enter");
    await pick(page, "Tags", "rack:7");
    await button(dialog, "Add tags").click();
    await expect
      .poll(async () => {
        const { data } = await account.call(listHostsV2, { query: { "filter.tag": ["rack:7"] } });
        return data.map(({ name }) => name).toSorted();
      }, PATIENT)
      .toEqual([LONG, "boat-04"]);
  });
});

it("sheets fit the screen and are accessible in both themes", async () => {
  const page = await open("/hosts");
  await checkbox(page, "Select boat-02").check();
  await expectAccessibleScreen(page, "phone-selected", [320]);
  await page.setViewportSize(SIZE);
  await button(page, "Actions").click();
  await page.getByRole("dialog", { name: "1 selected" }).waitFor();
  await expectAccessibleScreen(page, "phone-actions", [320]);
  await openPage(page, "/hosts?filter.tag=crew%3Anight");
  await page.setViewportSize(SIZE);
  await button(page, "Filters 1 active").click();
  await page.getByRole("dialog", { name: "Filters" }).waitFor();
  await expectAccessibleScreen(page, "phone-filters", [320]);
});
