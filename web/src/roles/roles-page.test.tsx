import { deleteRole, type Dependents, getRoleDependents, listRoles, type Role } from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { listenForShortcuts } from "../lib/shortcuts.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { network, noDependents, role } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { RolesPage } from "./roles-page.tsx";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const web: Role = { ...role, description: "Public sites", hostCount: 1204 };
const ops: Role = { ...role, id: `role-${"O".repeat(26)}`, name: "<b>Ops</b>", firewallRules: [] };
const open = (at = "/roles") => renderPage(<RolesPage />, { route: "/roles", at });
const both = () => transport().on(listRoles, () => page([web, ops]));
const row = async (name: string) => (await screen.findByRole("link", { name })).closest("tr")!;

it("lists roles with their rules, and their hosts as a link to them [S1.1] [S2.11]", async () => {
  both();
  open();
  const cells = within(await row("Web"));
  expect(cells.getByText("Public sites")).toBeDefined();
  expect(cells.getByText("3")).toBeDefined();
  expect(cells.getByRole("link", { name: "1,204 hosts" }).getAttribute("href")).toBe(
    `/hosts?filter.roleID=${web.id}&filter.kind=any`,
  );
  expect(within(await row("<b>Ops</b>")).queryByRole("link", { name: /hosts/ })).toBeNull();
  expect(document.title).toBe("Roles - Lightkeeper");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Roles · 2");
});

it("searches while typing and keeps the search in the URL", async () => {
  const api = both();
  const { user, path } = open();
  await row("Web");
  await user.type(screen.getByRole("searchbox"), "we");
  await waitFor(() => expect(path()).toBe("/roles?filter.search=we"));
  await waitFor(() => expect(api.calls(listRoles).at(-1)?.query["filter.search"]).toBe("we"));
});

it("says that nothing matches and clears the search", async () => {
  transport().on(listRoles, ({ query }) => page(query["filter.search"] ? [] : [web]));
  const { user, path } = open("/roles?filter.search=zzz");
  expect(await screen.findByRole("heading", { name: "Nothing matches" })).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Clear" }));
  expect(await row("Web")).toBeDefined();
  expect(path()).toBe("/roles");
});

it("says what to do if there are no roles", async () => {
  transport().on(listRoles, () => page([]));
  open();
  expect(await screen.findByRole("heading", { name: "No roles yet" })).toBeDefined();
  expect(screen.getByRole("link", { name: "Add role" }).getAttribute("href")).toBe("/roles/add");
});

it("shows what failed and retries", async () => {
  const api = transport().on(listRoles, () => {
    throw failure("ERR_UNAVAILABLE", {}, "request-9");
  });
  const { user } = open();
  expect((await screen.findByRole("alert")).textContent).toContain("request-9");
  api.on(listRoles, () => page([web]));
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await row("Web")).toBeDefined();
});

it("focuses the search with /", async () => {
  both();
  const stopListening = listenForShortcuts();
  const { user } = open();
  await row("Web");
  await user.keyboard("/");
  expect(document.activeElement).toBe(screen.getByRole("searchbox"));
  stopListening();
});

it("adds one with c", async () => {
  both();
  const stopListening = listenForShortcuts();
  const { user, path } = open();
  await row("Web");
  await user.keyboard("c");
  expect(path()).toBe("/roles/add");
  stopListening();
});

async function openMenu() {
  const rendered = open();
  await row("Web");
  await rendered.user.click(screen.getByRole("button", { name: "Actions for Web" }));
  return rendered;
}

it("duplicates a role", async () => {
  both();
  const { user, path } = await openMenu();
  await user.click(await screen.findByRole("menuitem", { name: "Duplicate" }));
  expect(path()).toBe(`/roles/add?copy=${web.id}`);
});

async function openDialog() {
  const { user } = await openMenu();
  await user.click(await screen.findByRole("menuitem", { name: "Delete…" }));
  return { user, dialog: within(await screen.findByRole("alertdialog")) };
}

it("names the role before it deletes it", async () => {
  const api = both()
    .on(deleteRole, () => ({}))
    .on(getRoleDependents, () => noDependents);
  const { user, dialog } = await openDialog();
  expect(dialog.getByRole("heading", { name: "Delete role Web?" })).toBeDefined();
  expect(dialog.queryByRole("checkbox")).toBeNull();
  const button = dialog.getByRole("button", { name: "Delete role" });
  await waitFor(() => expect(button).toHaveProperty("disabled", false));
  await user.click(button);
  expect(await screen.findByText("Role Web deleted")).toBeDefined();
  expect(api.calls(deleteRole)[0]).toMatchObject({ params: { roleID: web.id }, query: {} });
});

it("shows which hosts lose a role and how rules change, and removes it from them", async () => {
  const ssh = { ...web.firewallRules[0]!, allowedRoleID: web.id };
  const dependents: Dependents = {
    ...noDependents,
    hostCount: 1204,
    hosts: [{ type: "relay", id: "host-1", name: "relay-1", networkID: network.id }],
    ruleCount: 1,
    removedRuleCount: 1,
    ruleOwnerCount: 1,
    ruleOwners: [{ type: "tag", id: "env:prod", name: "env:prod", rules: [{ before: ssh, after: null }] }],
  };
  const api = both()
    .on(deleteRole, () => ({}))
    .on(getRoleDependents, () => dependents);
  const { user, dialog } = await openDialog();
  const remove = await dialog.findByRole("checkbox", {
    name: "Remove this role from 1,204 hosts and 1 rule, then delete it",
  });
  expect(dialog.getByRole("link", { name: "relay-1" }).getAttribute("href")).toBe("/relays/host-1");
  expect(dialog.getByRole("link", { name: "and 1,203 more" }).getAttribute("href")).toBe(
    `/hosts?filter.roleID=${web.id}&filter.kind=any`,
  );
  expect(dialog.getByRole("link", { name: "env:prod" }).getAttribute("href")).toBe("/tags/env%3Aprod");
  const button = dialog.getByRole("button", { name: "Delete role" });
  expect(button).toHaveProperty("disabled", true);
  await user.click(remove);
  await user.click(button);
  expect(await screen.findByText("Role Web deleted")).toBeDefined();
  expect(api.calls(deleteRole)[0]).toMatchObject({ params: { roleID: web.id }, query: { detach: "true" } });
});
