/** From sign-up to the first networks, without a mouse. */
import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it } from "vitest";
import { codeFor, previousCodeFor, newEmail } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { keysOf } from "./keys.ts";
import { linksFor, waitForLink } from "./mailbox.ts";
import {
  button,
  expectFocus,
  expectPath,
  expectVisibleFocus,
  field,
  heading,
  link,
  PATIENT,
  readManualKey,
  rowOf,
  expectText,
  tabTo,
} from "./steps.ts";
import { describeStory } from "./story.ts";

const visit = useBrowser();
const { dataDir } = inject("server");
const email = newEmail();
let page: Page;
let secret: string;

const { press, type, use } = keysOf(() => page);

async function openMailedLink(after = 0): Promise<void> {
  await page.goto(await waitForLink(dataDir, email, { after }));
  await expectFocus(button(page, "Log in"));
  await press("Enter");
}

beforeAll(async () => {
  ({ page } = await visit());
});

describeStory("a user with only a keyboard", () => {
  it("signs up", async () => {
    await page.goto("/auth/login");
    await expectFocus(field(page, "Email address"));
    await use(link(page, "Create an account"));
    await heading(page, "Sign up").waitFor();
    await expectFocus(field(page, "Email address"));
    await type(email);
    await tabTo(page, button(page, "Send link"));
    await expectVisibleFocus(page);
    // A local server offers no paid plans.
    expect(await page.getByRole("radio").count()).toBe(0);
    await press("Control+Enter");
    await expectFocus(heading(page, "Check your email"));
  });

  it("sets up the authenticator", async () => {
    await openMailedLink();
    await heading(page, "Set up your authenticator").waitFor();
    secret = await readManualKey(page);
    await expectFocus(field(page, "Code from your authenticator app"));
    await tabTo(page, button(page, "Copy setup key"), { key: "Shift+Tab" });
    await press("Space");
    await page.getByRole("tooltip", { name: "Copied!" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    await tabTo(page, field(page, "Code from your authenticator app"));
    await type(await previousCodeFor(secret));
    await expectFocus(heading(page, "Save your recovery codes"));
    await use(button(page, "I’ve saved them"));
    await expectPath(page, "/get-started");
  });

  it("creates the first network with Ctrl+Enter", async () => {
    await heading(page, "Create your first network").waitFor();
    await expectFocus(field(page, "Name"));
    await type("Harbour");
    await press("Control+Enter");
    await expectFocus(heading(page, "Set up your network"));
    await use(link(page, "Go to networks"));
    await expectFocus(heading(page, "Networks · 1"));
  });

  it("adds another network with `c`, and moves through the rows with `j` and `k`", async () => {
    await press("c");
    await heading(page, "Add network").waitFor();
    await expectFocus(field(page, "Name"));
    await type("Lagoon g n c ?");
    await expectPath(page, "/settings/networks/add");
    await tabTo(page, page.getByRole("checkbox", { name: "Use lighthouses as relays" }));
    await press("Space", "Control+Enter");
    await expectText(page, "Network Lagoon g n c ? added");
    await rowOf(page, "Lagoon g n c ?").waitFor();
    await press("j");
    await expectFocus(link(page, "Harbour"));
    await press("j");
    await expectFocus(link(page, "Lagoon g n c ?"));
    await expectVisibleFocus(page);
    await press("k", "Enter");
    await heading(page, "Edit Harbour").waitFor();
  });

  it("opens the networks with `g n`, and the list of shortcuts with `?`", async () => {
    await expectFocus(heading(page, "Edit Harbour"));
    await press("g", "n");
    await expectPath(page, "/settings/networks");
    await rowOf(page, "Harbour").waitFor();
    await tabTo(page, link(page, "Harbour"));
    await press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await dialog.waitFor();
    for (const description of ["Networks", "Add a network", "Next row", "Previous row"])
      await expectText(dialog, description);
    await press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expectFocus(link(page, "Harbour"));
  });

  it("scrolls the list of shortcuts to its end, at any size", async () => {
    await press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await dialog.waitFor();
    const last = dialog.getByRole("region", { name: "Go to" }).locator("kbd").last();
    for (const [width, height] of [
      [1280, 600],
      [320, 480],
    ] as const) {
      await page.setViewportSize({ width, height });
      await press("Home", "End");
      const bottom = async () => {
        const box = await last.boundingBox();
        return box ? box.y + box.height : Infinity;
      };
      await expect.poll(bottom, PATIENT).toBeLessThan(height);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("opens a row's menu and closes it, which restores the focus", async () => {
    const trigger = button(page, "Actions for Lagoon g n c ?");
    await use(trigger);
    const edit = page.getByRole("menuitem", { name: "Edit" });
    await edit.waitFor();
    await expectFocus(edit);
    await press("Escape");
    await edit.waitFor({ state: "hidden" });
    await expectFocus(trigger);
    await press("ArrowDown");
    await expectFocus(edit);
    await press("ArrowDown");
    await expectFocus(page.getByRole("menuitem", { name: "Delete…" }));
    await press("Enter");
  });

  it("cancels a deletion, then confirms it", async () => {
    const dialog = page.getByRole("alertdialog", { name: "Delete network Lagoon g n c ??" });
    await expectFocus(button(dialog, "Cancel"));
    await expectVisibleFocus(page);
    await press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expectFocus(button(page, "Actions for Lagoon g n c ?"));
    await press("Enter");
    await expectFocus(page.getByRole("menuitem", { name: "Edit" }));
    await press("End", "Enter");
    await expectFocus(button(dialog, "Cancel"));
    // The focus may move to the browser's toolbar or a notification, but never to the page behind the dialog.
    for (let pressed = 0; pressed < 6; pressed++) {
      await press("Tab");
      const isKept = await dialog.evaluate((element) => {
        const notifications = document.querySelector("[aria-label=Notifications]");
        const allowed = [element, notifications].some((place) => place?.contains(document.activeElement));
        return allowed || document.activeElement === document.body;
      });
      expect(isKept).toBe(true);
    }
    await tabTo(page, button(dialog, "Delete network"));
    await press("Enter");
    await expectText(page, "Network Lagoon g n c ? deleted");
    await heading(page, "Networks · 1").waitFor();
  });

  it("edits a network, and must confirm before unsaved changes are lost", async () => {
    await page.reload();
    await rowOf(page, "Harbour").waitFor();
    await use(link(page, "Harbour"));
    await tabTo(page, field(page, "Name"));
    await press("End");
    await type(" East");
    await use(link(page, "Cancel"));
    const dialog = page.getByRole("alertdialog", { name: "Leave without saving?" });
    await expectFocus(button(dialog, "Cancel"));
    await press("Enter");
    await dialog.waitFor({ state: "detached" });
    await expectFocus(link(page, "Cancel"));
    await tabTo(page, button(page, "Save"), { key: "Shift+Tab" });
    await press("Enter");
    await expectText(page, "Network Harbour East saved");
    await rowOf(page, "Harbour East").waitFor();
  });

  it("logs out and in again", async () => {
    await use(button(page, "Your Account"));
    await expectFocus(page.getByRole("menuitem", { name: "User settings" }));
    await press("ArrowDown");
    await expectFocus(page.getByRole("menuitem", { name: "Logout" }));
    await press("Enter");
    await heading(page, "Log in").waitFor();
    await expectFocus(field(page, "Email address"));
    const before = linksFor(dataDir, email).length;
    await type(email);
    await press("Enter");
    await expectFocus(heading(page, "Check your email"));
    await openMailedLink(before);
    await expectFocus(field(page, "Code from your authenticator app"));
    await type(codeFor(secret));
    await expectPath(page, "/hosts");
  });

  it("reaches the skip link first [S2.24]", async () => {
    await page.goto("/settings/networks");
    await rowOf(page, "Harbour East").waitFor();
    await press("Tab");
    await expectFocus(link(page, "Go to main content"));
    await expectVisibleFocus(page);
  });
});
