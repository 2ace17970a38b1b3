/** Hosts are edited, blocked, filtered and debugged with the keyboard only. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { keysOf } from "./keys.ts";
import {
  button,
  expectFocus,
  expectPath,
  expectText,
  field,
  heading,
  link,
  PATIENT,
  picker,
  tabTo,
} from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let page: Page;
let fleet: Fleet;

beforeAll(async () => {
  const account = await createAccount(server);
  fleet = await createFleet(account.call);
  ({ page } = await visit({ account }));
});

const { press, use, retype, pickFirst, openList, typeNameOf } = keysOf(() => page);

describe("a user with only a keyboard", () => {
  it("edits a host from its row, blocks it, and unblocks it", async () => {
    await openList("/hosts", "Hosts · 4");
    await press("j", "e");
    await heading(page, "Edit boat-01").waitFor();
    await retype(field(page, "Name"), "boat-00");
    await press("Control+Enter");
    await expectFocus(heading(page, "boat-00"));

    await use(button(page, "Actions for boat-00"));
    await expectFocus(page.getByRole("menuitem").first());
    await press("ArrowDown", "ArrowDown");
    await expectFocus(page.getByRole("menuitem", { name: "Block…" }));
    await press("Enter");
    const dialog = page.getByRole("alertdialog", { name: "Block host boat-00?" });
    await dialog.waitFor();
    await typeNameOf(dialog, "boat-00");
    await expectText(page, "boat-00 blocked");
    await dialog.waitFor({ state: "detached" });

    await use(link(page, "Unblock"));
    await heading(page, "Unblock boat-00").waitFor();
    await use(button(page, "Unblock and create code"));
    await expectText(page, "boat-00 is unblocked");
    await use(button(page, "Copy command"));
    await page.getByRole("tooltip", { name: "Copied!" }).waitFor();
  });

  it("chooses the columns of the list", async () => {
    await openList("/hosts", "Hosts · 4");
    const created = page.getByRole("columnheader", { name: "Created" });
    expect(await created.count()).toBe(0);
    await use(button(page, "Columns"));
    await expectFocus(page.getByRole("menuitemcheckbox").first());
    await press("End");
    await expectFocus(page.getByRole("menuitemcheckbox", { name: "Created" }));
    await press("Enter");
    await created.waitFor();
    await press("Escape");
    await expectFocus(button(page, "Columns"));
    await use(page.getByRole("columnheader", { name: "Created" }).getByRole("button"));
    await expectPath(page, "/hosts?sort=createdAt");
  });

  it("filters the list, and removes the filters", async () => {
    await openList("/hosts", "Hosts · 4");
    await use(button(page, "Tag"));
    const tags = page.getByRole("dialog", { name: "Filter by tag" });
    await expectFocus(picker(tags, "Find a tag"));
    await pickFirst("pier:w");
    await heading(page, "Hosts · 1").waitFor();
    await press("Escape");
    await expectFocus(button(page, "Tag: pier:west"));
    await expectPath(page, "/hosts?filter.tag=pier%3Awest");
    await use(button(page, "Remove filter Tag: pier:west"));
    await heading(page, "Hosts · 4").waitFor();
    await expectFocus(button(page, "Tag"));
    await tabTo(page, button(page, "Status"), { key: "Shift+Tab" });
    await press("Enter");
    await expectFocus(picker(page, "Find a status"));
    await press("ArrowDown", "Enter");
    await expect
      .poll(() => new URL(page.url()).searchParams.getAll("filter.status"), PATIENT)
      .toHaveLength(1);
    await use(button(page, "Clear").first());
    await expectPath(page, "/hosts");
  });

  it("runs a command on a host and reads why it fails", async () => {
    await page.goto(`/hosts/${fleet.boats[1]!.id}/debug`);
    await heading(page, "boat-02").waitFor();
    await tabTo(page, page.getByRole("combobox", { name: "Command" }), { times: 80 });
    await press("ArrowDown");
    await expectText(page, "Shows the certificate of the other host in a tunnel, or this host’s own.");
    await tabTo(page, picker(page, "Host"));
    await pickFirst("100.100.0.2");
    await press("Enter");
    await expectText(page, "This host isn’t enrolled, so it can’t run commands.");
  });
});
