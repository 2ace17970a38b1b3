/** Each kind of object is created, edited and deleted with the keyboard only. */
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
  expectText,
  field,
  heading,
  link,
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

const { press, type, use, retype, pickFirst, openList, typeNameOf } = keysOf(() => page);

/** Opens the delete dialog with the last item of the actions menu. */
async function openDeleteDialog(name: string, title: string): Promise<Locator> {
  await use(button(page, `Actions for ${name}`));
  await expectFocus(page.getByRole("menuitem").first());
  await press("End");
  await expectFocus(page.getByRole("menuitem", { name: "Delete…" }));
  await press("Enter");
  const dialog = page.getByRole("alertdialog", { name: title });
  await dialog.waitFor();
  return dialog;
}

describe("a user with only a keyboard creates, edits and deletes", () => {
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

    const dialog = await openDeleteDialog("lantern", `Delete ${kind} lantern?`);
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

    const dialog = await openDeleteDialog("New town", "Delete route New town?");
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

    const dialog = await openDeleteDialog("pier:south", "Delete tag pier:south?");
    await expectFocus(button(dialog, "Cancel"));
    await use(button(dialog, "Delete tag"));
    await expectText(page, "Tag pier:south deleted");
    await heading(page, "Tags · 3").waitFor();
  });

  it("a role, as a copy of another role, and expands and removes its rules", async () => {
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

    const dialog = await openDeleteDialog("Dinghy", "Delete role Dinghy?");
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
    const dialog = await openDeleteDialog("crew:day", "Delete tag crew:day?");
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
