import {
  createTag,
  getTag,
  listRoles,
  listRoutes,
  listTags,
  previewAccess,
  updateTag,
  type RouteListItem,
  type Tag,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { route, tag } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { TagAddPage } from "./tag-add-page.tsx";
import { TagEditPage } from "./tag-edit-page.tsx";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const { firewallRules: _, ...routeInList } = route;
const listedRoute: RouteListItem = { ...routeInList, firewallRulesCount: 0 };
const verbose: Tag = {
  ...tag,
  name: "debug:verbose",
  priority: 9,
  configOverrides: [{ key: "logging.level", value: "debug" }],
};
const production: Tag = {
  ...tag,
  configOverrides: [
    { key: "logging.level", value: "warning" },
    { key: "tun.mtu", value: 1400 },
  ],
};
const api = () =>
  transport()
    .on(getTag, () => production)
    .on(listTags, () => page([verbose, production]))
    .on(listRoles, () => page([]))
    .on(listRoutes, () => page([listedRoute]));
const openAdd = () => renderPage(<TagAddPage />, { route: "/tags/add" });
const openEdit = (name = "env:prod") =>
  renderPage(<TagEditPage />, { route: "/tags/:tagName", at: `/tags/${encodeURIComponent(name)}` });
const save = () => screen.getByRole("button", { name: "Save" });

describe("adding a tag", () => {
  it("accepts a name, routes and a setting with its own control [S1.5] [S2.13]", async () => {
    const calls = api().on(createTag, () => tag);
    const { user, path } = openAdd();
    expect(document.title).toBe("Add tag - Lightkeeper");
    await user.type(screen.getByLabelText("Name"), "env:prod");
    await user.click(screen.getByLabelText(/^Routes/));
    await user.click(await screen.findByText("Office"));
    await user.click(screen.getByRole("button", { name: "Override settings" }));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Add a setting")));
    await user.type(screen.getByLabelText("Add a setting"), "dns{Enter}");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/^DNS/)));
    await user.click(screen.getByRole("button", { name: /^Remove DNS/ }));
    expect(document.activeElement).toBe(screen.getByLabelText("Add a setting"));
    await user.keyboard("mtu{Enter}");
    const mtu = await screen.findByLabelText<HTMLInputElement>(/^MTU/);
    expect(mtu.value).toBe("1300");
    await user.clear(mtu);
    await user.type(mtu, "1400");
    await user.click(screen.getByRole("button", { name: "Add tag" }));
    await waitFor(() => expect(path()).toBe("/tags"));
    expect(calls.calls(createTag)[0]?.body).toEqual({
      name: "env:prod",
      description: "",
      routeSubscriptions: [route.id],
      configOverrides: [{ key: "tun.mtu", value: 1400 }],
      firewallRules: [],
    });
  });

  it("requires a key and a value, and shows a duplicate name at its field", async () => {
    api().on(createTag, () => {
      throw failure("ERR_DUPLICATE_VALUE", { path: "name" });
    });
    const { user } = openAdd();
    await user.type(screen.getByLabelText("Name"), "prod{Enter}");
    expect((await screen.findByRole("alert")).textContent).toMatch(
      /^Enter a key and a value, such as env:prod/,
    );
    await user.clear(screen.getByLabelText("Name"));
    await user.type(screen.getByLabelText("Name"), "env:prod{Enter}");
    expect(await screen.findByText("You already have a tag with this name, try another")).toBeDefined();
  });
});

describe("editing a tag", () => {
  it("previews routes that the tag no longer has", async () => {
    const calls = api().on(getTag, () => ({ ...production, routeSubscriptions: [route.id] }));
    const { user } = openEdit();
    await user.click(await screen.findByRole("button", { name: "Remove route Office" }));
    await waitFor(() =>
      expect(calls.calls(previewAccess).at(-1)?.body.mutations).toMatchObject([
        { method: "PUT", path: "/v1/tags/env%3Aprod", body: { routeSubscriptions: [] } },
      ]),
    );
    const preview = within(screen.getByRole("region", { name: "Preview changes" }));
    expect(preview.getByText("No host has this tag yet.")).toBeDefined();
  });

  it("shows its settings, their defaults and which tag wins over it", async () => {
    const calls = api();
    openEdit();
    expect(await screen.findByLabelText(/^Log level/)).toHaveProperty("value", "warning");
    expect(screen.getByText("In bytes. Default: 1300")).toBeDefined();
    const row = within((await screen.findByText(/^On hosts that also have/)).closest("li")!);
    expect(row.getByRole("link", { name: "debug:verbose" }).getAttribute("href")).toBe(
      "/tags/debug%3Averbose",
    );
    expect(document.title).toBe("Edit env:prod - Lightkeeper");
    expect(screen.queryByLabelText("Name")).toBeNull();
    expect(calls.calls(getTag)[0]?.params).toEqual({ tag: "env:prod" });
  });

  it("shows invalid values immediately and doesn’t send them", async () => {
    const calls = api();
    const { user } = openEdit();
    const mtu = await screen.findByLabelText(/^MTU/);
    await user.clear(mtu);
    await user.type(mtu, "99999");
    expect(screen.getByText("Must be a whole number between 576 and 9000.")).toBeDefined();
    await user.click(save());
    expect(await screen.findByText("Complete or remove the unfinished settings.")).toBeDefined();
    expect(calls.calls(updateTag)).toEqual([]);
  });

  it("shows server errors at their setting", async () => {
    api().on(updateTag, () => {
      throw failure("ERR_INVALID_VALUE", { path: "configOverrides[1].value", message: "No, not that." });
    });
    const { user } = openEdit();
    await screen.findByLabelText(/^MTU/);
    await user.type(screen.getByLabelText(/^Description/), "x");
    await user.click(save());
    const row = within((await screen.findByText("No, not that.")).closest("li")!);
    expect(row.getByLabelText(/^MTU/).getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByLabelText(/^Log level/).getAttribute("aria-invalid")).toBeNull();
  });

  it("accepts lists of address ranges and allow lists", async () => {
    const calls = api()
      .on(getTag, () => ({ ...tag, configOverrides: [] }))
      .on(updateTag, () => tag);
    const { user } = openEdit();
    await user.click(await screen.findByRole("button", { name: "Override settings" }));
    await user.type(await screen.findByLabelText("Add a setting"), "preferred{Enter}");
    await user.type(
      await screen.findByLabelText(/^Preferred address ranges/),
      "10.0.0.0/8{Enter}192.168.0.0/16",
    );
    await user.type(screen.getByLabelText("Add a setting"), "advertised{Enter}");
    await user.click(await screen.findByRole("button", { name: "Add interface" }));
    await user.keyboard("docker.*");
    await user.selectOptions(screen.getByLabelText("Access for docker.*"), "Denied");
    await user.click(screen.getByRole("button", { name: "Add address range" }));
    await user.keyboard("10.0.0.0/8");
    await user.click(save());
    await waitFor(() => expect(calls.calls(updateTag)).toHaveLength(1));
    expect(calls.calls(updateTag)[0]?.body.configOverrides).toEqual([
      { key: "preferred_ranges", value: ["10.0.0.0/8", "192.168.0.0/16"] },
      {
        key: "lighthouse.local_allow_list",
        value: { interfaces: { "docker.*": false }, "10.0.0.0/8": true },
      },
    ]);
  });

  it("shows the 404 page for a tag that does not exist [S8.1]", async () => {
    const noise = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const calls = api().on(getTag, () => {
      throw failure("ERR_NOT_FOUND");
    });
    openEdit("a/b:c d");
    expect(await screen.findByText("The page failed")).toBeDefined();
    expect(calls.calls(getTag)[0]?.params).toEqual({ tag: "a/b:c d" });
    noise.mockRestore();
  });
});
