/** Uses a page with the keyboard only. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { expectFocus, field, heading, PATIENT, tabTo } from "./steps.ts";

export function keysOf(page: () => Page) {
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page().keyboard.press(key)), Promise.resolve());
  const type = (text: string) => page().keyboard.type(text);

  /** Moves the focus to the target with Tab and presses the key. */
  async function use(target: Locator, key = "Enter"): Promise<void> {
    await tabTo(page(), target, { times: 80 });
    await press(key);
  }

  /** Moves the focus to the field with Tab and replaces its text. */
  async function retype(target: Locator, text: string): Promise<void> {
    await tabTo(page(), target, { times: 80 });
    await press("Control+a");
    await type(text);
  }

  /** Types into the focused picker and chooses the first option. */
  async function pickFirst(text: string, { option = text, down = false } = {}): Promise<void> {
    await type(text);
    const found = page().getByRole("option", { name: option }).first();
    await found.waitFor();
    if (down) await press("ArrowDown");
    await expect.poll(() => found.getAttribute("data-active-item"), PATIENT).not.toBeNull();
    await press("Enter");
  }

  async function openList(path: string, title: string): Promise<void> {
    await page().goto(path);
    await heading(page(), title).waitFor();
    // The heading has the count before the rows appear.
    await page().locator("tbody td[data-lead] a").first().waitFor();
  }

  /** Confirms a dialog by typing the name into its focused field. */
  async function typeNameOf(dialog: Locator, name: string): Promise<void> {
    await expectFocus(field(dialog, /^Type/));
    await type(name);
    await press("Enter");
  }

  return { press, type, use, retype, pickFirst, openList, typeNameOf };
}
