/** A screen in both themes and at several widths: nothing scrolls sideways, axe finds nothing. */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** A directory for pictures, for those who want to look themselves. */
const pictures = process.env.SCREENSHOTS;

const THEMES = ["dark", "light"] as const;
export const WIDTHS = [1280, 915, 500, 320];

/** Colours change by transitions, however short, and a child's may start when its parent's has ended. */
export const settled = (page: Page) =>
  page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    for (let calm = 0, frames = 0; calm < 2 && frames < 60; frames++) {
      await frame();
      calm = document.getAnimations().length === 0 ? calm + 1 : 0;
    }
  });

export async function expectToFit(page: Page, what: string): Promise<void> {
  const { scrollWidth, clientWidth } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.scrollingElement!;
    return { scrollWidth, clientWidth };
  });
  expect(scrollWidth, `width of ${what}`).toBeLessThanOrEqual(clientWidth);
}

/** No cell of a table shows its content over the next one, and no column lies beyond the edge. */
export async function expectNoOverlap(page: Page, what: string): Promise<void> {
  const overflowing = await page.evaluate(() => {
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
  });
  expect(overflowing, `cells that overlap the next on ${what}`).toEqual([]);
  const hiddenPixels = await page.evaluate(() =>
    [...document.querySelectorAll("table")].map(
      (table) => table.scrollWidth - (table.parentElement?.clientWidth ?? 0),
    ),
  );
  for (const pixels of hiddenPixels)
    expect(pixels, `hidden width of tables on ${what}`).toBeLessThanOrEqual(1);
}

/** Whatever is cut off with an ellipsis has a tooltip that says all of it. What is typed can be scrolled. */
export async function expectReadable(page: Page, what: string): Promise<void> {
  const cutOff = await page.evaluate(() => {
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
  });
  expect(cutOff, `cut off and not readable on ${what}`).toEqual([]);
}

/** For those who want to look themselves. */
export async function takePictures(page: Page, name: string): Promise<void> {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    await page.screenshot({ path: join(pictures, `${name}-${colorScheme}.png`) });
  }
}

async function expectAccessible(page: Page, what: string): Promise<void> {
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: (options: RunOptions) => Promise<AxeResults> } };
    const results = await axe.run({ preload: false, resultTypes: ["violations"] });
    return results.violations.map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html} (${nodes[0]?.failureSummary})`,
    );
  });
  expect(violations, `axe on ${what}`).toEqual([]);
}

/** Goes through themes and widths without loading the page again. */
export async function expectEverywhere(
  page: Page,
  name: string,
  widths: readonly number[] = WIDTHS,
): Promise<void> {
  if (pictures) mkdirSync(pictures, { recursive: true });
  await page.evaluate(axeSource);
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await settled(page);
      const what = `${name}-${colorScheme}-${width}`;
      await expectToFit(page, what);
      await expectAccessible(page, what);
      if (pictures) await page.screenshot({ path: join(pictures, `${what}.png`) });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}
