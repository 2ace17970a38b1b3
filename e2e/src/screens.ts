/** Opens screens by name, and checks their layout at every width and their accessibility in both themes. */
import type { Page } from "playwright-core";
import { describe, it } from "vitest";
import type { Visitor } from "./browser.ts";
import { openPage } from "./open-page.ts";
import { expectAccessibleScreen } from "./screen-checks.ts";
import { heading } from "./steps.ts";

export interface Screen {
  name: string;
  /** For screens that exist only at some widths, or that differ little from another. */
  widths?: readonly number[];
  open: () => Promise<Page>;
}

/** For screens that differ from another one only in a part. */
export const EXTREMES = [1280, 320];

/** A screen that is opened by its path. */
export const atAddress = (
  name: string,
  who: () => Visitor,
  path: string | (() => string),
  title: string,
): Screen => ({
  name,
  open: async () => {
    const { page } = who();
    await openPage(page, typeof path === "string" ? path : path());
    await heading(page, title).waitFor();
    return page;
  },
});

/** Defines one test for each screen. */
export function describeScreens(screens: readonly Screen[]): void {
  const cases = screens.map((screen) => [screen.name, screen] as const);
  describe("fits at every width and is accessible in both themes [S2.24] [S9.8]:", () => {
    it.each(cases)("%s", async (name, { open, widths }) => {
      await expectAccessibleScreen(await open(), name, widths);
    });
  });
}
