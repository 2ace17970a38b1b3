/** Opens pages of the console as a link does, without loading the console again, which takes most of a test's time. */
import type { Page } from "playwright-core";
import { heading } from "./steps.ts";

const NOWHERE = "/nowhere";
const NOTHING_HERE = "Nothing here (404)";

/** The router follows the history of the browser, where it counts its entries. */
const navigate = (page: Page, path: string) =>
  page.evaluate((url) => {
    const { idx } = history.state as { idx: number };
    history.pushState({ idx: idx + 1 }, "", url);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);

/** Opens the page of a path and waits for its heading. For the first page, loads the console. */
export async function openPage(page: Page, path: string): Promise<void> {
  if (page.url() === "about:blank") await page.goto(path);
  else {
    // Via the page for unknown paths: otherwise, the heading of the page before could be taken for the new one.
    await navigate(page, NOWHERE);
    await heading(page, NOTHING_HERE).waitFor();
    await navigate(page, path);
  }
  await heading(page, /^(?!Nothing here)/).first().waitFor();
}
