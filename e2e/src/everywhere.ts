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
const settled = (page: Page) =>
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

/** No cell of a table shows its content over the next one. */
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
