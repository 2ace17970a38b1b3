/** Tags in a line: at every width, each tag is either shown or counted as hidden. */
import { createHostV2, createNetwork, createTag, type HostV2, type TagListItem } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { openPage } from "./open-page.ts";
import { expectNoOverlap, waitForTransitions } from "./screen-checks.ts";
import { expectFocus, expectPath, heading, rowOf, tabTo } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");

const TAGS = [
  "env:prod",
  "site:fra",
  "team:platform",
  "tier:db",
  "os:debian",
  "backup:nightly",
  "owner:alice",
  "cost:4711",
  "zone:eu-central-1",
  "patch:auto",
  "monitor:deep",
  "pci:yes",
];
/** The longest tag the API accepts. */
const LONGEST = `${"k".repeat(20)}:${"v".repeat(50)}`;
/** Longer than the API accepts: the list must not depend on that limit. */
const TOO_LONG = `old:${"x".repeat(251)}`;

const hosts = {
  twelve: TAGS,
  longest: [LONGEST, ...TAGS.slice(1)],
  tooLong: [TOO_LONG, ...TAGS.slice(1)],
} as const;

let page: Page;
let twelve: HostV2;

beforeAll(async () => {
  const account = await createAccount(server);
  const { call } = account;
  const { id: networkID } = await call(createNetwork, { body: { name: "Harbour" } });
  // A new tag gets the highest priority, and the highest is shown first.
  for (const name of [...TAGS.toReversed(), LONGEST]) await call(createTag, { body: { name } });
  twelve = await call(createHostV2, { body: { name: "twelve", networkID, tags: [...TAGS] } });
  await call(createHostV2, { body: { name: "longest", networkID, tags: [...hosts.longest] } });
  await call(createHostV2, { body: { name: "tooLong", networkID, tags: [...TAGS] } });
  ({ page } = await visit({ account }));
  await page.route("**/v2/hosts?*", async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: HostV2[] };
    for (const host of body.data) if (host.name === "tooLong") host.tags = [...hosts.tooLong];
    await route.fulfill({ response, json: body });
  });
  await page.route("**/v2/tags?*", async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: TagListItem[] };
    await route.fulfill({
      response,
      json: { ...body, data: [{ ...body.data[0], name: TOO_LONG }, ...body.data] },
    });
  });
});

interface LineState {
  chips: number;
  hidden: number;
  isRestVisible: boolean;
  unreadable: string[];
}

/** The visible tags of a host: chips and "+n" inside the box of their line. */
const readLine = (name: string): Promise<LineState> =>
  rowOf(page, name)
    .locator("[data-fitting-line]")
    .evaluate((line) => {
      const box = line.getBoundingClientRect();
      const isInside = (element: Element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return (
          left >= box.left - 1 && right <= box.right + 1 && top >= box.top - 1 && bottom <= box.bottom + 1
        );
      };
      const isVisible = (element: Element) => element.checkVisibility({ visibilityProperty: true });
      const chips = [...line.querySelectorAll("bdi")].filter(isVisible);
      const rest = line.querySelector("button");
      return {
        chips: chips.filter(isInside).length,
        hidden: Number(rest?.textContent?.slice(1) ?? 0),
        isRestVisible: rest === null || (isVisible(rest) && isInside(rest)),
        // Less of a chip than this cannot be recognized.
        unreadable: chips.filter((chip) => chip.clientWidth < 36).map(({ textContent }) => textContent ?? ""),
      };
    });

const WIDTHS = [1241, 1280, 1308, 1334, 1440, 1581, 1607, 1620, 1880, 1893, 2560];

describe("tags in the list of hosts", () => {
  // The tests change the widths of columns.
  beforeEach(async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await openPage(page, "/hosts");
    await rowOf(page, "tooLong").waitFor();
  });

  it.each(Object.keys(hosts))(
    "are shown or counted as hidden at every width, after each resize: %s",
    async (name) => {
      for (const width of [...WIDTHS, ...WIDTHS.toReversed()]) {
        await page.setViewportSize({ width, height: 800 });
        await waitForTransitions(page);
        const { chips, hidden, isRestVisible, unreadable } = await readLine(name);
        expect({ total: chips + hidden, isRestVisible, unreadable }, `${name} at ${width}`).toEqual({
          total: 12,
          isRestVisible: true,
          unreadable: [],
        });
        await expectNoOverlap(page, `hosts at ${width}`);
      }
    },
  );

  it.each([40, 60, 96, 130, 158, 161, 174, 252, 317, 600, 1400])(
    "are shown or counted as hidden in a column of %i px",
    async (columnWidth) => {
      await page.setViewportSize({ width: 2560, height: 800 });
      for (const name of Object.keys(hosts)) {
        const line = rowOf(page, name).locator("[data-fitting-line]");
        await line.evaluate((element: HTMLElement, px) => {
          element.style.minWidth = "0";
          element.style.width = `${px}px`;
        }, columnWidth);
        await waitForTransitions(page);
        const { chips, hidden, isRestVisible } = await readLine(name);
        expect({ total: chips + hidden, isRestVisible }, `${name} in ${columnWidth}`).toEqual({
          total: 12,
          isRestVisible: true,
        });
      }
      await page.reload();
      await rowOf(page, "tooLong").waitFor();
    },
  );

  it("are truncated with an ellipsis if too long, and shown in full in the tooltip", async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const line = rowOf(page, "tooLong").locator("[data-fitting-line]");
    const chip = line.locator("bdi").first();
    const { isClipped, textOverflow } = await chip.evaluate((element) => ({
      isClipped: element.scrollWidth > element.clientWidth,
      textOverflow: getComputedStyle(element).textOverflow,
    }));
    expect({ isClipped, textOverflow }).toEqual({ isClipped: true, textOverflow: "ellipsis" });
    expect(await line.getAttribute("title")).toContain(TOO_LONG);
  });

  it("that are hidden can be opened with the keyboard, each with a link to its tag", async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const { hidden } = await readLine("twelve");
    const more = rowOf(page, "twelve").getByRole("button", { name: `+${hidden} more tags` });
    await tabTo(page, more, { times: 80 });
    await page.keyboard.press("Enter");
    const items = page.getByRole("menuitem");
    await items.first().waitFor();
    expect(await items.allTextContents()).toEqual(TAGS.slice(-hidden));
    await page.keyboard.press("Escape");
    await items.first().waitFor({ state: "hidden" });
    await expectFocus(more);
    await page.keyboard.press("Enter");
    await expectFocus(items.first());
    await page.keyboard.press("End");
    await expectFocus(items.last());
    await page.keyboard.press("Enter");
    await expectPath(page, "/tags/pci%3Ayes");
  });
});

it("tags beside a host's name are shown or counted as hidden too", async () => {
  await openPage(page, `/hosts/${twelve.id}`);
  await heading(page, "twelve").waitFor();
  const header = page.locator("header").filter({ has: heading(page, "twelve") });
  const more = header.getByRole("button", { name: /^\+\d+ more tags$/ });
  const links = await header.getByRole("link", { name: /:/ }).count();
  expect(links + Number((await more.textContent())!.slice(1))).toBe(12);
  await tabTo(page, more);
  await page.keyboard.press("ArrowDown");
  await page.getByRole("menuitem").first().waitFor();
  expect(await page.getByRole("menuitem").allTextContents()).toEqual(TAGS.slice(links));
});
