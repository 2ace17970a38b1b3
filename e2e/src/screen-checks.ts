/** Checks a screen: no horizontal scrolling at several widths, no problems found by axe in both themes. */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** An optional directory for screenshots. */
const screenshotFolder = process.env.SCREENSHOTS;

const THEMES = ["dark", "light"] as const;
export const WIDTHS = [1280, 915, 500, 320];

/** Waits for the end of all transitions: a child's transition may start when its parent's has ended. */
export const waitForTransitions = (page: Page) =>
  page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    for (let calm = 0, frames = 0; calm < 2 && frames < 60; frames++) {
      await frame();
      calm = document.getAnimations().length === 0 ? calm + 1 : 0;
    }
  });

/** The layout follows a new width within a few frames, which take longer on a busy machine. */
const LAYOUT = { timeout: 5000, interval: 50 };

export async function expectToFit(page: Page, what: string): Promise<void> {
  const hiddenPixels = () =>
    page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.scrollingElement!;
      return scrollWidth - clientWidth;
    });
  await expect.poll(hiddenPixels, { ...LAYOUT, message: `hidden width of ${what}` }).toBeLessThanOrEqual(0);
}

/** No cell of a table overlaps the next one, and no column is outside the page. */
export async function expectNoOverlap(page: Page, what: string): Promise<void> {
  const findOverlapping = () => {
    const isClipped = (element: Element, cell: Element): boolean => {
      const parent = element.parentElement;
      if (!parent || parent === cell) return getComputedStyle(cell).overflowX !== "visible";
      return getComputedStyle(parent).overflowX !== "visible" || isClipped(parent, cell);
    };
    return [...document.querySelectorAll("td")]
      .filter((cell) => {
        const end = cell.getBoundingClientRect().right + 1;
        return [...cell.querySelectorAll("*")].some(
          (element) => element.getBoundingClientRect().right > end && !isClipped(element, cell),
        );
      })
      .map((cell) => cell.textContent);
  };
  await expect
    .poll(() => page.evaluate(findOverlapping), {
      ...LAYOUT,
      message: `cells that overlap the next on ${what}`,
    })
    .toEqual([]);
  const hiddenPixels = () =>
    [...document.querySelectorAll("table")].map(
      (table) => table.scrollWidth - (table.parentElement?.clientWidth ?? 0),
    );
  await expect
    .poll(async () => Math.max(0, ...(await page.evaluate(hiddenPixels))), {
      ...LAYOUT,
      message: `hidden width of tables on ${what}`,
    })
    .toBeLessThanOrEqual(1);
}

/** Every truncated text has a tooltip with the full text, except in inputs, which can be scrolled. */
export async function expectReadable(page: Page, what: string): Promise<void> {
  const findCutOff = () => {
    const isCutOff = (element: Element) => {
      const { textOverflow, webkitLineClamp } = getComputedStyle(element);
      if (textOverflow === "ellipsis" && element.scrollWidth > element.clientWidth + 1) return true;
      return webkitLineClamp !== "none" && element.scrollHeight > element.clientHeight + 1;
    };
    const text = (element: Element) => element.textContent?.trim() ?? "";
    const hasTooltip = (element: Element) =>
      [...element.querySelectorAll("[title]"), element.closest("[title]")].some((titled) =>
        titled?.getAttribute("title")?.includes(text(element)),
      );
    return [...document.querySelectorAll("body *")]
      .filter((element) => !(element instanceof HTMLInputElement) && isCutOff(element))
      .filter((element) => text(element) !== "" && !hasTooltip(element))
      .map((element) => element.outerHTML.slice(0, 200));
  };
  await expect
    .poll(() => page.evaluate(findCutOff), { ...LAYOUT, message: `cut off and not readable on ${what}` })
    .toEqual([]);
}

/** Saves screenshots in both themes, if SCREENSHOTS is set. */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  if (!screenshotFolder) return;
  mkdirSync(screenshotFolder, { recursive: true });
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    await waitForTransitions(page);
    await page.screenshot({ path: join(screenshotFolder, `${name}-${colorScheme}.png`) });
  }
}

async function expectNoViolations(page: Page, what: string): Promise<void> {
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: (options: RunOptions) => Promise<AxeResults> } };
    const results = await axe.run({ preload: false, resultTypes: ["violations"] });
    return results.violations.map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html} (${nodes[0]?.failureSummary})`,
    );
  });
  expect(violations, `axe on ${what}`).toEqual([]);
}

/** With SCREENS=all, axe checks every theme at every width. */
const checksAll = process.env.SCREENS === "all";

/**
 * Checks every width without reloading the page, and the widest in dark and the narrowest in light with axe.
 * The theme doesn't change the layout, so the other widths are checked in dark only.
 */
export async function expectAccessibleScreen(
  page: Page,
  name: string,
  widths: readonly number[] = WIDTHS,
): Promise<void> {
  if (screenshotFolder) mkdirSync(screenshotFolder, { recursive: true });
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  const accessibleAt = { dark: Math.max(...widths), light: Math.min(...widths) };
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    const showsAll = checksAll || screenshotFolder !== undefined || colorScheme === "dark";
    for (const width of widths.filter((each) => showsAll || each === accessibleAt[colorScheme])) {
      await page.setViewportSize({ width, height: 800 });
      await waitForTransitions(page);
      const what = `${name}-${colorScheme}-${width}`;
      await expectToFit(page, what);
      if (checksAll || accessibleAt[colorScheme] === width) await expectNoViolations(page, what);
      if (screenshotFolder) await page.screenshot({ path: join(screenshotFolder, `${what}.png`) });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}
