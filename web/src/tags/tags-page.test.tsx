import { deleteTag, listTags, type TagListItem } from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { tag } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { Component } from "./tags-page.tsx";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const { firewallRules: _, ...listed } = tag;
const production: TagListItem = { ...listed, description: "Customers depend on it", hostCount: 95 };
const odd: TagListItem = { ...listed, name: "a/b?:c d%", priority: 7 };
const api = () => transport().on(listTags, () => page([production, odd]));
const open = () => renderPage(<Component />, { route: "/tags" });
const row = async (name: string) => within((await screen.findByRole("link", { name })).closest("tr")!);

it("lists tags by priority, with their hosts as a link to them [S1.1] [S2.13]", async () => {
  api();
  open();
  const cells = await row("env:prod");
  expect(cells.getByText("Customers depend on it")).toBeDefined();
  expect(cells.getByRole("link", { name: "95 hosts" }).getAttribute("href")).toBe(
    "/hosts?filter.tag=env%3Aprod&filter.kind=any",
  );
  expect((await row("a/b?:c d%")).getByText("7")).toBeDefined();
  expect(screen.getByRole("link", { name: "Reorder" }).getAttribute("href")).toBe("/tags/reorder");
  expect(document.title).toBe("Tags - Lightkeeper");
});

it("leads to a tag whatever is in its name", async () => {
  api();
  open();
  const link = (await row("a/b?:c d%")).getByRole("link");
  expect(link.getAttribute("href")).toBe("/tags/a%2Fb%3F%3Ac%20d%25");
});

it("says what to do when there is none", async () => {
  transport().on(listTags, () => page([]));
  open();
  expect(await screen.findByRole("heading", { name: "No tags yet" })).toBeDefined();
  expect(screen.queryByRole("link", { name: "Reorder" })).toBeNull();
});

it("names what still uses a tag", async () => {
  const calls = api().on(deleteTag, () => {
    throw failure("ERR_HAS_DEPENDENTS", {
      extra: { dependents: [{ type: "role", id: "role-1", name: "Web" }], total: 1 },
    });
  });
  const { user } = open();
  await row("env:prod");
  await user.click(screen.getByRole("button", { name: "Actions for env:prod" }));
  await user.click(await screen.findByRole("menuitem", { name: "Delete…" }));
  const dialog = within(await screen.findByRole("alertdialog", { name: "Delete tag env:prod?" }));
  await user.click(dialog.getByRole("button", { name: "Delete tag" }));
  const refusal = within(await dialog.findByRole("alert"));
  expect(refusal.getByRole("link", { name: "Web" }).getAttribute("href")).toBe("/roles/role-1");
  expect(calls.calls(deleteTag)[0]?.params).toEqual({ tag: "env:prod" });
});
