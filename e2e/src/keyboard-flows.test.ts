/** Everyday tasks without a mouse: hosts, roles, tags, the palette. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { keysOf } from "./keys.ts";
import {
  button,
  checkbox,
  expectFocus,
  expectPath,
  expectText,
  expectVisibleFocus,
  field,
  heading,
  link,
  PATIENT,
  picker,
  rowOf,
  tabTo,
} from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let page: Page;
let fleet: Fleet;
let account: Account;

beforeAll(async () => {
  account = await createAccount(server);
  fleet = await createFleet(account.call);
  ({ page } = await visit({ account }));
});

const { press, type, use, pickFirst } = keysOf(() => page);

async function openHosts(): Promise<void> {
  await page.goto("/hosts");
  await rowOf(page, "boat-01").waitFor();
}

describe("a user with only a keyboard", () => {
  it("adds a host with `c` and gets the command that enrolls it", async () => {
    await openHosts();
    await press("c");
    await heading(page, "Add host").waitFor();
    await expectFocus(field(page, "Name"));
    await type("tug");
    await press("Tab");
    await expectFocus(picker(page, "Network"));
    await expectVisibleFocus(page);
    await pickFirst("Harbour");
    await tabTo(page, picker(page, "Role"));
    await pickFirst("Ferry");
    await tabTo(page, picker(page, "Tags"));
    await pickFirst("pier:west");
    await press("Control+Enter");
    await expectText(page, "tug added");
    await heading(page, "Enroll tug").waitFor();
    await expectFocus(heading(page, "Enroll tug"));
    await use(button(page, "Copy command"));
    await page.getByRole("tooltip", { name: "Copied!" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/install\.sh .*--code/);
    await tabTo(page, page.getByRole("tab", { name: "Linux" }), { key: "Shift+Tab" });
    await press("ArrowRight");
    await expectFocus(page.getByRole("tab", { name: "Agent installed" }));
    await page.getByText(/^sudo lightkeeper-agent enroll/).waitFor();
  });

  it("creates a role with rules, and reorders them", async () => {
    await openHosts();
    await press("g", "r");
    await heading(page, "Roles · 3").waitFor();
    await press("c");
    await expectFocus(field(page, "Name"));
    await type("Harbour master");
    await use(button(page, "Add rule"));
    await tabTo(page, picker(page, "Ports"));
    await pickFirst("ssh", { option: "SSH", down: true });
    await expect.poll(() => picker(page, "Ports").inputValue(), PATIENT).toBe("22");
    await tabTo(page, picker(page, "From role"));
    await pickFirst("Pilot");
    await use(button(page, "Done"));
    const ssh = button(page, "Allow TCP 22 (SSH) from role Pilot");
    await expectFocus(ssh);
    await use(button(page, "Add rule"));
    await tabTo(page, picker(page, "Ports"));
    await type("8000-8010");
    await press("Enter");
    const web = button(page, "Allow TCP 8000-8010 from any host");
    await expectFocus(web);
    await press("Control+Enter");
    await expectText(page, "Role Harbour master added");
    await rowOf(page, "Harbour master").waitFor();
  });

  it("reorders tags, and cancels with Escape", async () => {
    await openHosts();
    await press("g", "t");
    await rowOf(page, "pier:east").waitFor();
    await use(link(page, "Reorder"));
    await heading(page, "Reorder tags").waitFor();
    const order = () =>
      page.getByRole("list", { name: "Tags, highest priority first" }).getByRole("link").allInnerTexts();
    await expect.poll(order, PATIENT).toEqual(["crew:night", "pier:west", "pier:east"]);
    await tabTo(page, button(page, "Move crew:night"));
    await press("Space", "ArrowDown", "ArrowDown");
    await expect.poll(order, PATIENT).toEqual(["pier:west", "pier:east", "crew:night"]);
    await press("Escape");
    await expect.poll(order, PATIENT).toEqual(["crew:night", "pier:west", "pier:east"]);
    await expectFocus(button(page, "Move crew:night"));
    await press("Space", "ArrowDown", "Space");
    await expectText(page, "Tag crew:night moved");
    await page.reload();
    await expect.poll(order, PATIENT).toEqual(["pier:west", "crew:night", "pier:east"]);
  });

  it("selects rows with `j` and `x`, a range with Shift, and tags them all", async () => {
    await openHosts();
    await press("j", "x");
    await expect.poll(() => checkbox(page, "Select boat-01").isChecked(), PATIENT).toBe(true);
    await tabTo(page, checkbox(page, "Select boat-03"));
    await press("Shift+Space");
    const bar = page.getByRole("toolbar", { name: "Selected rows" });
    await expectText(bar, "3 selected");
    await use(button(bar, "Add tags"));
    const dialog = page.getByRole("dialog", { name: "Add tags to 3 hosts" });
    await dialog.waitFor();
    await tabTo(page, picker(dialog, "Tags"));
    await pickFirst("crew:night");
    await use(button(dialog, "Add tags"));
    await dialog.waitFor({ state: "detached" });
    await expectText(page, "Tags added to 3 hosts.");
    await rowOf(page, "boat-02").filter({ hasText: "crew:night" }).waitFor();
  });

  it("searches with `/`, opens a row, and deletes it by typing its name", async () => {
    await openHosts();
    await press("/");
    await expectFocus(page.getByRole("searchbox"));
    await type("boat-03");
    await heading(page, "Hosts · 1").waitFor();
    await tabTo(page, link(page, "boat-03"));
    await press("Enter");
    await heading(page, "boat-03").waitFor();
    await use(button(page, "Actions for boat-03"));
    await expectFocus(page.getByRole("menuitem").first());
    await press("End", "Enter");
    const dialog = page.getByRole("alertdialog", { name: "Delete host boat-03?" });
    await dialog.waitFor();
    await expectFocus(field(dialog, /^Type/));
    await type("boat-0");
    expect(await button(dialog, "Delete").isDisabled()).toBe(true);
    await type("3");
    await press("Enter");
    await expectText(page, "boat-03 deleted");
    await expectPath(page, "/hosts?filter.search=boat-03");
    await expectText(page, "Nothing matches");
  });

  it("opens a host from the palette, and the focus returns when the palette closes", async () => {
    await openHosts();
    await tabTo(page, link(page, "boat-01"), { times: 60 });
    await press("Control+k");
    const palette = page.getByRole("dialog", { name: "Search and commands" });
    await expectFocus(picker(palette, "Search and commands"));
    await press("Escape");
    await palette.waitFor({ state: "detached" });
    await expectFocus(link(page, "boat-01"));
    await press("Control+k");
    await pickFirst("beacon");
    await expectPath(page, `/lighthouses/${fleet.lighthouse.id}`);
    await expectFocus(heading(page, "beacon"));
    await press("Control+k");
    await pickFirst("Add role");
    await heading(page, "Add role").waitFor();
    await expectPath(page, "/roles/add");
  });

  it("blocks a host, finds a member and reads the documentation from the palette", async () => {
    await openHosts();
    await press("Control+k");
    const palette = page.getByRole("dialog", { name: "Search and commands" });
    const option = (name: RegExp) => palette.getByRole("option", { name });
    await expectFocus(picker(palette, "Search and commands"));
    await type("Block host");
    await option(/^Block host…/).waitFor();
    await press("Enter");
    await type("boat-01");
    await option(/^Block boat-01.*Harbour/).waitFor();
    await press("Enter");
    await page.getByRole("alertdialog", { name: "Block host boat-01?" }).waitFor();
    await expectPath(page, `/hosts/${fleet.boats[0]!.id}/block`);
    await press("Escape");
    await expectPath(page, "/hosts");
    await press("Control+k");
    await pickFirst(account.email);
    await heading(page, "Members · 1").waitFor();
    await press("Control+k");
    await type("lost authenticator");
    await option(/^A lost authenticator/)
      .first()
      .waitFor();
    const opened = page.context().waitForEvent("page");
    await press("Enter");
    const documentation = await opened;
    await documentation.getByRole("heading", { name: /^A lost authenticator/ }).waitFor();
    expect(new URL(documentation.url()).pathname).toBe("/docs/members-and-roles");
    await documentation.close();
  });
});
