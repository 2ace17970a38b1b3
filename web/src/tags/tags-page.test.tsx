import {
  deleteTag,
  type Dependents,
  type FirewallRule,
  getTagDependents,
  listTags,
  type TagListItem,
} from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { noDependents, tag } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { TagsPage } from "./tags-page.tsx";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const { firewallRules: _, ...listed } = tag;
const production: TagListItem = { ...listed, description: "Customers depend on it", hostCount: 95 };
const odd: TagListItem = { ...listed, name: "a/b?:c d%", priority: 7 };
/** Lists the lowest priority first by default. */
const api = () =>
  transport().on(listTags, ({ query }) =>
    page(query.sort === "-priority" ? [odd, production] : [production, odd]),
  );
const open = () => renderPage(<TagsPage />, { route: "/tags" });
const row = async (name: string) => within((await screen.findByRole("link", { name })).closest("tr")!);

it("lists tags, highest priority first, with their hosts as a link to them [S1.1] [S2.13]", async () => {
  api();
  open();
  const cells = await row("env:prod");
  expect(
    screen.getAllByRole("link", { name: /^(env:prod|a\/b\?:c d%)$/ }).map((link) => link.textContent),
  ).toEqual(["a/b?:c d%", "env:prod"]);
  expect(cells.getByText("Customers depend on it")).toBeDefined();
  expect(cells.getByRole("link", { name: "95 hosts" }).getAttribute("href")).toBe(
    "/hosts?filter.tag=env%3Aprod&filter.kind=any",
  );
  expect((await row("a/b?:c d%")).getByText("7")).toBeDefined();
  expect(screen.getByRole("link", { name: "Reorder" }).getAttribute("href")).toBe("/tags/reorder");
  expect(document.title).toBe("Tags - Lightkeeper");
});

it("links to a tag with any characters in its name", async () => {
  api();
  open();
  const link = (await row("a/b?:c d%")).getByRole("link");
  expect(link.getAttribute("href")).toBe("/tags/a%2Fb%3F%3Ac%20d%25");
});

it("says what to do if there are no tags", async () => {
  transport().on(listTags, () => page([]));
  open();
  expect(await screen.findByRole("heading", { name: "No tags yet" })).toBeDefined();
  expect(screen.queryByRole("link", { name: "Reorder" })).toBeNull();
});

async function openDialog() {
  const { user } = open();
  await row("env:prod");
  await user.click(screen.getByRole("button", { name: "Actions for env:prod" }));
  await user.click(await screen.findByRole("menuitem", { name: "Delete…" }));
  return { user, dialog: within(await screen.findByRole("alertdialog", { name: "Delete tag env:prod?" })) };
}

const rule: FirewallRule = {
  protocol: "TCP",
  portRange: { from: 22, to: 22 },
  allowedRoleID: null,
  allowedTags: ["env:prod"],
  description: "",
};
const inUse: Dependents = {
  ...noDependents,
  ruleCount: 3,
  removedRuleCount: 1,
  ruleOwnerCount: 22,
  ruleOwners: [
    {
      type: "role",
      id: "role-1",
      name: "Web",
      rules: [
        { before: rule, after: null },
        {
          before: { ...rule, allowedTags: ["env:prod", "team:ops"] },
          after: { ...rule, allowedTags: ["team:ops"] },
        },
      ],
    },
    {
      type: "route",
      id: "route-1",
      name: "Office",
      rules: [
        {
          before: { ...rule, allowedTags: ["env:prod", "team:ops"], localCIDR: "192.168.4.0/24" },
          after: { ...rule, allowedTags: ["team:ops"], localCIDR: "192.168.4.0/24" },
        },
      ],
    },
  ],
};

it("shows what uses a tag and how each rule changes, and removes the tag from it", async () => {
  const calls = api()
    .on(getTagDependents, () => inUse)
    .on(deleteTag, () => ({}));
  const { user, dialog } = await openDialog();
  await user.click(
    await dialog.findByRole("checkbox", { name: "Remove this tag from 3 rules, then delete it" }),
  );
  expect(dialog.getByRole("link", { name: "Web" }).getAttribute("href")).toBe("/roles/role-1");
  expect(dialog.getByRole("link", { name: "Office" }).getAttribute("href")).toBe("/routes/route-1");
  expect(dialog.getByText("and 20 more roles, tags and routes")).toBeDefined();
  const changes = dialog.getAllByText(/^(Removed|Changed to)$/).map(({ parentElement }) => parentElement);
  expect(changes.map((change) => change?.textContent)).toEqual([
    "Removed",
    "Changed to Allow TCP 22 (SSH) from hosts with tag team:ops",
    "Changed to Allow TCP 22 (SSH) from hosts with tag team:ops to 192.168.4.0/24",
  ]);
  expect(dialog.getByText(/so they can allow more hosts/)).toBeDefined();
  expect(dialog.getByText(/Otherwise they would allow any host/)).toBeDefined();
  await user.click(dialog.getByRole("button", { name: "Delete tag" }));
  expect(await screen.findByText("Tag env:prod deleted")).toBeDefined();
  expect(calls.calls(deleteTag)[0]).toMatchObject({
    params: { tag: "env:prod" },
    query: { detach: "true" },
  });
});

it("deletes nothing until the user confirms removing the tag from what uses it", async () => {
  const calls = api().on(getTagDependents, () => inUse);
  const { user, dialog } = await openDialog();
  const remove = await dialog.findByRole("checkbox");
  const button = dialog.getByRole("button", { name: "Delete tag" });
  expect(button).toHaveProperty("disabled", true);
  await user.click(remove);
  expect(button).toHaveProperty("disabled", false);
  await user.click(remove);
  expect(button).toHaveProperty("disabled", true);
  expect(calls.calls(deleteTag)).toEqual([]);
});

it("lists what uses a tag since the preview, and offers to remove it", async () => {
  let dependents = { ...noDependents, isUsedForDevices: true };
  const calls = api()
    .on(getTagDependents, () => dependents)
    .on(deleteTag, () => {
      dependents = { ...inUse, isUsedForDevices: true };
      throw failure("ERR_HAS_DEPENDENTS", {
        extra: { dependents: [{ type: "role", id: "role-1", name: "Web" }], total: 1 },
      });
    });
  const { user, dialog } = await openDialog();
  expect((await dialog.findByRole("link", { name: "Single sign-on" })).getAttribute("href")).toBe(
    "/settings/sso",
  );
  await user.click(dialog.getByRole("button", { name: "Delete tag" }));
  const rejection = within(await dialog.findByRole("alert"));
  expect(rejection.getByRole("link", { name: "Web" }).getAttribute("href")).toBe("/roles/role-1");
  expect(calls.calls(deleteTag)[0]?.query).toEqual({});
  expect(await dialog.findByRole("checkbox", { name: /^Remove this tag from 3 rules/ })).toBeDefined();
});

it("says why there is no preview, and lets the server check whether the tag is in use", async () => {
  const calls = api()
    .on(getTagDependents, () => {
      throw failure("ERR_UNAVAILABLE");
    })
    .on(deleteTag, () => ({}));
  const { user, dialog } = await openDialog();
  expect(await dialog.findByText(/unavailable/)).toBeDefined();
  await user.click(dialog.getByRole("button", { name: "Delete tag" }));
  expect(await screen.findByText("Tag env:prod deleted")).toBeDefined();
  expect(calls.calls(deleteTag)[0]?.query).toEqual({});
});
