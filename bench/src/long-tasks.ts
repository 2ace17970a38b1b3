/** The tasks of a page that block it for more than 50 ms. */
import type { Page } from "playwright-core";

/** Performance entries are delivered in a separate task. */
const DELIVERY_MS = 100;

export const watchTasks = (page: Page) =>
  page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(window, { tasks });
    new PerformanceObserver((list) =>
      tasks.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({
      entryTypes: ["longtask"],
    });
  });

/** The longest task since the last call; 0 if there was no long task. */
export async function takeLongest(page: Page): Promise<number> {
  await page.waitForTimeout(DELIVERY_MS);
  return page.evaluate(() => Math.max(0, ...(window as unknown as { tasks: number[] }).tasks.splice(0)));
}
