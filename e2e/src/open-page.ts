/** Opens pages of the console as a link does, without loading the console again, which takes most of a test's time. */
import type { Page } from "playwright-core";
import { heading } from "./steps.ts";

const NOWHERE = "/nowhere";
const LEAVE_TIMEOUT_MS = 1000;

/** The router follows the history of the browser, where it counts its entries. */
const navigate = (page: Page, path: string) =>
  page.evaluate((url) => {
    const { idx } = history.state as { idx: number };
    history.pushState({ idx: idx + 1 }, "", url);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);

/**
 * Opens the page for unknown paths, so that the heading of the page before isn't taken for the next one.
 * False if the console isn't open, or if a dialog or unsaved changes prevent it.
 */
async function leavePage(page: Page): Promise<boolean> {
  if ((await page.locator('nav[aria-label="Main"]').count()) === 0) return false;
  await navigate(page, NOWHERE);
  const opened = heading(page, "Nothing here (404)").waitFor({ timeout: LEAVE_TIMEOUT_MS });
  return opened.then(
    // The palette and other dialogs without a URL stay open.
    async () => (await page.locator('[role="dialog"], [role="alertdialog"]').count()) === 0,
    () => false,
  );
}

/** Opens the page of a path and waits for its heading. */
export async function openPage(page: Page, path: string): Promise<void> {
  if (await leavePage(page)) await navigate(page, path);
  else await page.goto(path);
  // By element, not by role: a dialog of the page hides its heading from assistive technology.
  await page.locator("h1").filter({ hasNotText: "Nothing here" }).first().waitFor();
}
