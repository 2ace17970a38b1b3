/** What changes on narrow screens, and which theme is used. */
import { createNetwork } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import {
  button,
  chooseInRowMenu,
  expectFocus,
  expectPath,
  heading,
  link,
  rowOf,
  expectText,
  tabTo,
  PATIENT,
} from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let account: Account;

beforeAll(async () => {
  account = await createAccount(server);
  await account.call(createNetwork, { body: { name: "Harbour" } });
});

async function onNetworks(width: number) {
  const visitor = await visit({ account, width });
  await visitor.page.goto("/settings/networks");
  await rowOf(visitor.page, "Harbour").waitFor();
  return visitor;
}

describe("the navigation [S2.24] [S9.8]", () => {
  it("is a sidebar above 915 px and behind a menu button at 915 px and below", async () => {
    const { page } = await onNetworks(916);
    const navigation = page.getByRole("navigation", { name: "Main" });
    expect(await navigation.isVisible()).toBe(true);
    expect(await button(page, "Menu").isVisible()).toBe(false);
    await page.setViewportSize({ width: 915, height: 800 });
    expect(await navigation.filter({ visible: true }).count()).toBe(0);
    expect(await button(page, "Menu").isVisible()).toBe(true);
  });

  it("opens and closes with the mouse, and closes on navigation", async () => {
    const { page } = await onNetworks(915);
    const menu = page.getByRole("dialog", { name: "Menu" });
    await button(page, "Menu").click();
    await menu.waitFor();
    await expectText(menu, account.email);
    await button(menu, "Close menu").click();
    await menu.waitFor({ state: "detached" });
    await button(page, "Menu").click();
    await page.mouse.click(900, 400);
    await menu.waitFor({ state: "detached" });
    await link(page, "Add network").click();
    await heading(page, "Add network").waitFor();
    await button(page, "Menu").click();
    await link(menu, "Networks").click();
    await expectPath(page, "/settings/networks");
    await menu.waitFor({ state: "detached" });
  });

  it("opens and closes with the keyboard, traps the focus and restores it", async () => {
    const { page } = await onNetworks(500);
    const menu = page.getByRole("dialog", { name: "Menu" });
    await tabTo(page, button(page, "Menu"));
    await page.keyboard.press("Enter");
    await menu.waitFor();
    for (let pressed = 0; pressed < 12; pressed++) {
      await page.keyboard.press("Tab");
      const isKept = await menu.evaluate(
        (element) => document.activeElement === document.body || element.contains(document.activeElement),
      );
      expect(isKept).toBe(true);
    }
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await expectFocus(button(page, "Menu"));
    await page.keyboard.press("Space");
    await tabTo(page, button(menu, "Logout"));
    await page.keyboard.press("Enter");
    await heading(page, "Log in").waitFor();
    account = await createAccount(server);
    await account.call(createNetwork, { body: { name: "Harbour" } });
  });
});

describe("at 500 px and below [S9.8]", () => {
  it("a dialog is a sheet at the bottom, and is centered on wider screens", async () => {
    const { page } = await onNetworks(501);
    await chooseInRowMenu(page, "Harbour", "Delete…");
    const dialog = page.getByRole("alertdialog");
    const box = () => dialog.evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect);
    await dialog.waitFor();
    expect((await box()).bottom).toBeLessThan(780);
    expect((await box()).left).toBeGreaterThan(0);
    for (const width of [500, 320]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await box()).toMatchObject({ left: 0, right: width, bottom: 800 });
    }
  });

  it("a row gets two lines: the name, and a summary of the other columns", async () => {
    const { page } = await onNetworks(501);
    const cell = (text: string) => rowOf(page, "Harbour").getByRole("cell").filter({ hasText: text });
    const topOf = async (text: string) => (await cell(text).boundingBox())?.y ?? Number.NaN;
    const distance = async () => (await topOf("100.100.0.0/22")) - (await topOf("Harbour"));
    expect(await distance()).toBeLessThan(20);
    await page.setViewportSize({ width: 500, height: 800 });
    await expect.poll(distance, PATIENT).toBeGreaterThan(20);
    expect(await cell("100.100.0.0/22").innerText()).toMatch(/100\.100\.0\.0\/22\s*0 hosts/);
  });
});

describe("the theme [S1.4]", () => {
  const looksOf = (page: Page) =>
    page.evaluate(() => {
      const canvas = document.createElement("canvas").getContext("2d")!;
      for (const element of [document.documentElement, document.body]) {
        canvas.fillStyle = getComputedStyle(element).backgroundColor;
        canvas.fillRect(0, 0, 1, 1);
      }
      const [red = 0] = canvas.getImageData(0, 0, 1, 1).data;
      const { colorScheme } = getComputedStyle(document.documentElement);
      return { colorScheme, surface: red > 128 ? "light" : "dark" };
    });

  it.each(["dark", "light"] as const)("follows the system theme: %s", async (colorScheme) => {
    const { page } = await visit({ colorScheme });
    await page.goto("/auth/login");
    await heading(page, "Log in").waitFor();
    expect(await looksOf(page)).toEqual({ colorScheme, surface: colorScheme });
  });

  it("is dark if the system has no preference", async () => {
    const { page } = await visit({ colorScheme: "light" });
    await page.goto("/auth/login");
    await heading(page, "Log in").waitFor();
    // Browsers always report a preference, so the media rules that match it are disabled.
    await page.evaluate(() => {
      const disableSchemeRules = (rule: CSSRule) => {
        if (rule instanceof CSSMediaRule && rule.conditionText.includes("prefers-color-scheme"))
          rule.media.mediaText = "not all";
        if (rule instanceof CSSGroupingRule) [...rule.cssRules].forEach(disableSchemeRules);
      };
      for (const sheet of document.styleSheets) [...sheet.cssRules].forEach(disableSchemeRules);
    });
    await expect.poll(() => looksOf(page), PATIENT).toEqual({ colorScheme: "dark", surface: "dark" });
  });
});
