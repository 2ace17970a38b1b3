/** How much of a page moves while it loads. */
import type { Page } from "playwright-core";

export const SHIFT_MAX = 0.02;

/** Sums the layout shifts of every page that is opened from now on; returns how to read the sum of the current page. */
export async function recordShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    Object.assign(window, { shift: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        Object.assign(window, {
          shift: Reflect.get(window, "shift") + Reflect.get(entry, "value"),
        });
    }).observe({ type: "layout-shift", buffered: true });
  });
  return () => page.evaluate(() => Reflect.get(window, "shift") as number);
}
