/** Common steps on pages. Elements are found by their role and name. */
import { SECOND_MS } from "@lightkeeper/contract/durations";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** A long timeout, for busy machines. */
export const PATIENT = { timeout: 30_000 };

export const heading = (page: Page, name: string | RegExp): Locator =>
  page.getByRole("heading", { level: 1, name });

export const button = (page: Page | Locator, name: string): Locator =>
  page.getByRole("button", { name, exact: true });

export const link = (page: Page | Locator, name: string): Locator =>
  page.getByRole("link", { name, exact: true });

export const field = (page: Page | Locator, name: string | RegExp): Locator =>
  page.getByRole("textbox", { name });

export const picker = (page: Page | Locator, name: string | RegExp): Locator =>
  page.getByRole("combobox", { name });

/** Types into a picker and chooses the first option. */
export async function pick(page: Page, label: string | RegExp, option: string): Promise<void> {
  await picker(page, label).fill(option);
  await page.getByRole("option", { name: option }).first().click();
}

/** Waits until exactly this text is visible. */
export const expectText = (page: Page | Locator, text: string): Promise<void> =>
  page.getByText(text, { exact: true }).filter({ visible: true }).first().waitFor();

/** Waits until the URL has this path and query. */
export async function expectPath(page: Page, path: string): Promise<void> {
  await expect
    .poll(() => {
      const { pathname, search } = new URL(page.url());
      return pathname + search;
    }, PATIENT)
    .toBe(path);
}

export async function expectTitle(page: Page, title: string): Promise<void> {
  await expect.poll(() => page.title(), PATIENT).toBe(`${title} - Lightkeeper`);
}

export async function requestLink(page: Page, email: string): Promise<void> {
  await field(page, "Email address").fill(email);
  await button(page, "Send link").click();
  await heading(page, "Check your email").waitFor();
}

/** Opens a magic link and confirms it. */
export async function openLink(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await button(page, "Log in").click();
}

/** Opens a page. Returns one second, or the time until the content was there on a machine that is busy for longer. */
export async function openTimed(
  page: Page,
  path: string,
  content: Locator = page.getByRole("heading", { level: 1 }).first(),
): Promise<number> {
  const startedAt = performance.now();
  await page.goto(path);
  await content.waitFor();
  return Math.max(SECOND_MS, performance.now() - startedAt);
}

/** Types an authenticator code; the last digit submits it. */
export async function enterCode(page: Page, code: string): Promise<void> {
  await field(page, /^Code from/).fill("");
  await field(page, /^Code from/).pressSequentially(code);
}

/** Types the first code of a new account's authenticator, and continues after the recovery codes. */
export async function finishSetup(page: Page, code: string): Promise<void> {
  await enterCode(page, code);
  await heading(page, "Save your recovery codes").waitFor();
  await button(page, "I’ve saved them").click();
}

/** The key to type into an authenticator app, as the page shows it in groups of four. */
export const readManualKey = async (page: Page): Promise<string> =>
  (await page.getByText(/^[A-Z2-7]{4}( [A-Z2-7]{4}){7}$/).innerText()).replace(/ /g, "");

export async function chooseInRowMenu(page: Page, name: string, item: string): Promise<void> {
  await button(page, `Actions for ${name}`).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

export async function logOut(page: Page): Promise<void> {
  await button(page, "Your Account").click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await heading(page, "Log in").waitFor();
}

export const checkbox = (page: Page | Locator, name: string): Locator =>
  page.getByRole("checkbox", { name, exact: true });

export const rowOf = (page: Page, name: string): Locator =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });

/** Presses Tab until the target has the focus, and checks that the focus is visible. */
export async function tabTo(page: Page, target: Locator, { key = "Tab", times = 40 } = {}): Promise<void> {
  for (let pressed = 0; pressed < times; pressed++) {
    await page.keyboard.press(key);
    const isFocused = await target.evaluateAll(
      ([first, ...others]) => others.length === 0 && first === document.activeElement,
    );
    if (isFocused) return expectVisibleFocus(page);
  }
  throw new Error(`${key} does not reach ${target.toString()}`);
}

export const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === document.activeElement);

export async function expectFocus(target: Locator): Promise<void> {
  await expect
    .poll(() => hasFocus(target), { ...PATIENT, message: `focus of ${target.toString()}` })
    .toBe(true);
}

/** The focused element, its parent or its label has an outline, or the element itself has a box shadow. */
export async function expectVisibleFocus(page: Page): Promise<void> {
  const ring = await page.evaluate(() => {
    const focused = document.activeElement!;
    const around = [focused.parentElement, focused.closest("label")].filter((place) => place !== null);
    const hasOutline = (place: Element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(place);
      return outlineStyle !== "none" && outlineWidth !== "0px";
    };
    return {
      what: focused.outerHTML.slice(0, 200),
      isVisible: [focused, ...around].some(hasOutline) || getComputedStyle(focused).boxShadow !== "none",
    };
  });
  expect(ring.isVisible, `visible focus on ${ring.what}`).toBe(true);
}
