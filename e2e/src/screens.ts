/** Screens by name: how each is come to, looked at in both themes and at every width. */
import type { Page } from "playwright-core";
import { describe, it } from "vitest";
import type { Visitor } from "./browser.ts";
import { expectEverywhere } from "./everywhere.ts";
import { heading } from "./steps.ts";

export interface Screen {
  name: string;
  /** Where it exists only on some screens, or differs little from another. */
  widths?: readonly number[];
  open: () => Promise<Page>;
}

/** For what differs from another screen in a part only. */
export const EXTREMES = [1280, 320];

/** A screen that an address alone leads to. */
export const atAddress = (
  name: string,
  who: () => Visitor,
  path: string | (() => string),
  title: string,
): Screen => ({
  name,
  open: async () => {
    const { page } = who();
    await page.goto(typeof path === "string" ? path : path());
    await heading(page, title).waitFor();
    return page;
  },
});

/** Every screen of a list; nothing scrolls sideways, axe finds nothing. */
export function describeScreens(screens: readonly Screen[]): void {
  const named = screens.map((screen) => [screen.name, screen] as const);
  describe("fits and is accessible in both themes at every width [S2.24] [S9.8]:", () => {
    it.each(named)("%s", async (name, { open, widths }) => {
      await expectEverywhere(await open(), name, widths);
    });
  });
}
