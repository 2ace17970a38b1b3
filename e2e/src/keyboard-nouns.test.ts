/** Each noun made, changed and deleted without a mouse; a host blocked and let back, a list narrowed, a host asked. */
import { createRole, deleteRole, getHostV2, getRole, updateHostV3 } from "@lightkeeper/contract";
import type { Locator, Page } from "playwright-core";
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
let account: Account;
let fleet: Fleet;

beforeAll(async () => {
  account = await createAccount(server);
  fleet = await createFleet(account.call);
  ({ page } = await visit({ account }));
});

const { press, type, use, retype, pickFirst } = keysOf(() => page);

async function openList(path: string, title: string): Promise<void> {
  await page.goto(path);
  await heading(page, title).waitFor();
}

/** The last entry of a thing's menu is the one that deletes it. */
async function askToDelete(name: string, title: string): Promise<Locator> {
  await use(button(page, `Actions for ${name}`));
  await expectFocus(page.getByRole("menuitem").first());
  await press("End");
  await expectFocus(page.getByRole("menuitem", { name: "Delete…" }));
  await press("Enter");
  const dialog = page.getByRole("alertdialog", { name: title });
  await dialog.waitFor();
  return dialog;
}

async function typeNameOf(dialog: Locator, name: string): Promise<void> {
  await expectFocus(field(dialog, /^Type/));
  await type(name);
  await press("Enter");
}

describe("with the keyboard alone one makes, changes and deletes", () => {
  it.each([
    ["lighthouse", "Lighthouses"],
    ["relay", "Relays"],
  ])("a %s", async (kind, label) => {
    await openList(`/${kind}s`, `${label} · 1`);
    await press("c");
    await expectFocus(field(page, "Name"));
    await type("lamp");
    await press("Tab");
    await expectFocus(picker(page, "Network"));
    await pickFirst("Harbour");
    await tabTo(page, field(page, "Static addresses 1"));
    await type("203.0.113.9:4242");
    await press("Control+Enter");
    await heading(page, "Enroll lamp").waitFor();
    await use(link(page.getByRole("navigation", { name: "Breadcrumb" }), "lamp"));
    await expectFocus(heading(page, "lamp"));

    await press("e");
    await heading(page, "Edit lamp").waitFor();
    await retype(field(page, "Name"), "lantern");
    await press("Control+Enter");
    await expectText(page, "lantern saved");
    await expectFocus(heading(page, "lantern"));

    const dialog = await askToDelete("lantern", `Delete ${kind} lantern?`);
    await typeNameOf(dialog, "lantern");
    await heading(page, `${label} · 1`).waitFor();
    await expectText(page, "lantern deleted");
  });

  it("a route", async () => {
    await openList("/routes", "Routes · 1");
    await press("c");
    await expectFocus(field(page, "Name"));
    await type("Old town");
    await tabTo(page, picker(page, "Router"));
    await pickFirst("boat-02");
    await tabTo(page, field(page, "Subnet 1"));
    await type("192.168.7.0/24");
    await use(button(page, "Add subnet"));
    await expectFocus(field(page, "Subnet 2"));
    await type("192.168.8.0/24");
    await press("Control+Enter");
    await heading(page, "Edit Old town").waitFor();

    await expectText(page, "Route Old town added. Now choose the tags it applies to.");
    await retype(field(page, "Name"), "New town");
    await press("Control+Enter");
    await expectText(page, "Route New town saved");
    await heading(page, "Routes · 2").waitFor();

    const dialog = await askToDelete("New town", "Delete route New town?");
    await typeNameOf(dialog, "New town");
    await expectText(page, "Route New town deleted");
    await heading(page, "Routes · 1").waitFor();
  });

  it("a tag", async () => {
    await openList("/tags", "Tags · 3");
    await press("c");
    await expectFocus(field(page, "Name"));
    await type("pier:south");
    await tabTo(page, picker(page, "Routes"));
    await pickFirst("Canal");
    await press("Control+Enter");
    await expectText(page, "Tag pier:south added");
    await heading(page, "Tags · 4").waitFor();

    await tabTo(page, link(page, "pier:south"), { times: 80 });
    await press("e");
    await heading(page, "Edit pier:south").waitFor();
    await retype(field(page, /^Description/), "Where the sun is");
    await use(button(page, "Override settings"));
    await expectFocus(picker(page, "Add a setting"));
    await pickFirst("mtu", { option: "MTU" });
    await expectFocus(page.getByRole("spinbutton", { name: /^MTU/ }));
    await press("Control+a");
    await type("1400");
    await press("Control+Enter");
    await expectText(page, "Tag pier:south saved");
    await heading(page, "Tags · 4").waitFor();
    await rowOf(page, "pier:south").filter({ hasText: "Where the sun is" }).waitFor();

    const dialog = await askToDelete("pier:south", "Delete tag pier:south?");
    await expectFocus(button(dialog, "Cancel"));
    await use(button(dialog, "Delete tag"));
    await expectText(page, "Tag pier:south deleted");
    await heading(page, "Tags · 3").waitFor();
  });

  it("a role, as a copy of another, whose rules can be opened and taken away", async () => {
    await openList("/roles", "Roles · 3");
    await tabTo(page, link(page, "Ferry"), { times: 80 });
    await press("Enter");
    await heading(page, "Edit Ferry").waitFor();
    await use(link(page, "Duplicate"));
    await heading(page, "Add role").waitFor();
    await retype(field(page, "Name"), "Tender");
    await use(button(page, "Remove rule ICMP"));
    const ssh = button(page, "Allow TCP 22 (SSH) from role Pilot with tag pier:east");
    await expectFocus(ssh);
    await press("Enter");
    await expectFocus(page.getByRole("combobox", { name: "Protocol" }));
    await press("u");
    await use(button(page, "Done"));
    await expectFocus(page.getByRole("button", { name: /^Allow UDP 22/ }));
    await press("Control+Enter");
    await expectText(page, "Role Tender added");
    await heading(page, "Roles · 4").waitFor();

    await tabTo(page, link(page, "Tender"), { times: 80 });
    await press("e");
    await heading(page, "Edit Tender").waitFor();
    await retype(field(page, "Name"), "Dinghy");
    await press("Control+Enter");
    await expectText(page, "Role Dinghy saved");
    await heading(page, "Roles · 4").waitFor();

    const dialog = await askToDelete("Dinghy", "Delete role Dinghy?");
    await expectFocus(button(dialog, "Cancel"));
    await use(button(dialog, "Delete role"));
    await expectText(page, "Role Dinghy deleted");
    await heading(page, "Roles · 3").waitFor();
  });

  it("a tag in use, which is removed from its hosts and rules after a preview", async () => {
    const { call } = account;
    const [, boat] = fleet.boats;
    const params = { hostID: boat!.id };
    await call(updateHostV3, { params, body: { ...boat, tags: [...boat!.tags, "crew:day"] } });
    const rule = { protocol: "TCP" as const, allowedTags: ["crew:day"] };
    const role = await call(createRole, {
      body: {
        name: "Barge",
        firewallRules: [
          { ...rule, portRange: { from: 80, to: 80 } },
          { ...rule, portRange: { from: 443, to: 443 }, allowedRoleID: fleet.pilot.id },
        ],
      },
    });
    await openList("/tags", "Tags · 4");
    const dialog = await askToDelete("crew:day", "Delete tag crew:day?");
    await expectFocus(button(dialog, "Cancel"));
    await link(dialog, "boat-02").waitFor();
    await link(dialog, "Barge").waitFor();
    await expectText(dialog, "Changed to Allow TCP 443 (HTTPS) from role Pilot");
    expect(await button(dialog, "Delete tag").isDisabled()).toBe(true);
    const remove = checkbox(dialog, "Remove this tag from 1 host and 2 rules, then delete it");
    await tabTo(page, remove, { key: "Shift+Tab" });
    await press("Space");
    await use(button(dialog, "Delete tag"));
    await expectText(page, "Tag crew:day deleted");
    await heading(page, "Tags · 3").waitFor();
    expect((await call(getHostV2, { params })).tags).toEqual(boat!.tags);
    const { firewallRules } = await call(getRole, { params: { roleID: role.id } });
    expect(firewallRules).toMatchObject([{ portRange: { from: 443 }, allowedRoleID: fleet.pilot.id }]);
    await call(deleteRole, { params: { roleID: role.id } });
  });
});

describe("with the keyboard alone one", () => {
  it("edits a host from its row, blocks it, and lets it back", async () => {
    await openList("/hosts", "Hosts · 4");
    await press("j", "e");
    await heading(page, "Edit boat-01").waitFor();
    await retype(field(page, "Name"), "boat-00");
    await press("Control+Enter");
    await expectFocus(heading(page, "boat-00"));

    await use(button(page, "Actions for boat-00"));
    await expectFocus(page.getByRole("menuitem").first());
    await press("ArrowDown");
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

  it("narrows the list by chips, and takes them off again", async () => {
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
    await type("100.100.0.2");
    await press("Enter", "Enter");
    await expectText(page, "This host isn’t enrolled, so it can’t run commands.");
  });
});
