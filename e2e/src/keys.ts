/** A page without a mouse: keys pressed, text typed, and nothing else. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { PATIENT, tabTo } from "./steps.ts";

export function keysOf(page: () => Page) {
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page().keyboard.press(key)), Promise.resolve());
  const type = (text: string) => page().keyboard.type(text);

  /** Goes there with Tab and presses it. */
  async function use(target: Locator, key = "Enter"): Promise<void> {
    await tabTo(page(), target, { times: 80 });
    await press(key);
  }

  /** Types over what stands in the field one has come to. */
  async function retype(target: Locator, text: string): Promise<void> {
    await tabTo(page(), target, { times: 80 });
    await press("Control+a");
    await type(text);
  }

  /** Types into the focused picker and takes the first that is found, going down to it where that is needed. */
  async function takeFound(text: string, { option = text, down = false } = {}): Promise<void> {
    await type(text);
    const found = page().getByRole("option", { name: option }).first();
    await found.waitFor();
    if (down) await press("ArrowDown");
    await expect.poll(() => found.getAttribute("data-active-item"), PATIENT).not.toBeNull();
    await press("Enter");
  }

  return { press, type, use, retype, takeFound };
}
