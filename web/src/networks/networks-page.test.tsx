import { deleteNetwork, listNetworksV2, type NetworkV2 } from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { listenForShortcuts } from "../lib/shortcuts.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { network } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { NetworksPage } from "./networks-page.tsx";

beforeEach(signIn);

const open = (at = "/settings/networks") => renderPage(<NetworksPage />, { route: "/settings/networks", at });

const named = (name: string, more: Partial<NetworkV2> = {}): NetworkV2 => ({
  ...network,
  id: `network-${name.toUpperCase().padEnd(26, "A")}`,
  name,
  ...more,
});
const production = named("Production", { description: "What customers use", hostCount: 1204 });
const staging = named("Staging", { cidrs: ["100.100.4.0/22"] });

const twoNetworks = () => transport().on(listNetworksV2, () => page([production, staging]));
const row = async (name: string) => (await screen.findByRole("link", { name })).closest("tr")!;

it("lists the networks with their count [S2.20] [S7.10]", async () => {
  const api = twoNetworks();
  open();
  const cells = within(await row("Production"));
  expect(cells.getByText("What customers use")).toBeDefined();
  expect(cells.getByText("100.100.0.0/22")).toBeDefined();
  expect(cells.getByText("1,204")).toBeDefined();
  expect(cells.getByRole("button", { name: "Copy CIDR of Production" })).toBeDefined();
  expect(cells.getByRole("link").getAttribute("href")).toBe(`/settings/networks/${production.id}`);
  expect(cells.getByText(/ago$|Nov/).getAttribute("datetime")).toBe(production.createdAt);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Networks · 2");
  expect(document.title).toBe("Networks - Lightkeeper");
  expect(api.calls(listNetworksV2)[0]?.query).toEqual({ includeCounts: "true", pageSize: "25" });
});

it("shows both ranges of a network, each to copy, with its certificates", async () => {
  const lab = named("Lab", { cidrs: ["10.1.0.0/16", "fd12::/64"], certVersion: 2, curve: "P256" });
  transport().on(listNetworksV2, () => page([production, lab]));
  open();
  const cells = within(await row("Lab"));
  expect(cells.getByText("10.1.0.0/16")).toBeDefined();
  expect(cells.getByText("fd12::/64")).toBeDefined();
  expect(cells.getByRole("button", { name: "Copy IPv4 CIDR of Lab" })).toBeDefined();
  expect(cells.getByRole("button", { name: "Copy IPv6 CIDR of Lab" })).toBeDefined();
  expect(cells.getByText("Version 2, P-256")).toBeDefined();
  expect(within(await row("Production")).getByText("Version 1, Curve25519")).toBeDefined();
});

it("shows placeholder rows while it loads", async () => {
  transport().on(listNetworksV2, () => new Promise<never>(() => undefined));
  open();
  expect(await screen.findByText("Loading Networks")).toBeDefined();
});

it("says what to do if there are no networks", async () => {
  transport().on(listNetworksV2, () => page([]));
  open();
  expect(await screen.findByRole("heading", { name: "No networks yet" })).toBeDefined();
  const links = screen.getAllByRole("link", { name: "Add network" });
  for (const link of links) expect(link.getAttribute("href")).toBe("/settings/networks/add");
});

it("shows the error with its request ID and tries again [S9.2]", async () => {
  const api = transport().on(listNetworksV2, () => {
    throw failure("ERR_INTERNAL_SERVER_ERROR", {}, "request-9");
  });
  const { user } = open();
  expect((await screen.findByRole("alert")).textContent).toContain("request-9");
  expect(api.calls(listNetworksV2)).toHaveLength(4);
  api.on(listNetworksV2, () => page([production]));
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await row("Production")).toBeDefined();
});

const firstPage = () =>
  page([production], {
    hasNextPage: true,
    nextCursor: "second",
    totalCount: 26,
    page: { start: 0, count: 25 },
  });
const secondPage = () =>
  page([staging], { hasPrevPage: true, prevCursor: "first", totalCount: 26, page: { start: 25, count: 1 } });
const pages = () =>
  transport().on(listNetworksV2, ({ query }) => (query.cursor === "second" ? secondPage() : firstPage()));

it("pages by cursor, keeps the page in the URL and the rows until the next page is loaded [S9.1]", async () => {
  pages();
  const { user, path, router } = open();
  await row("Production");
  await user.click(screen.getByRole("button", { name: "Next" }));
  expect(path()).toBe("/settings/networks?cursor=second");
  expect(await row("Staging")).toBeDefined();
  expect(screen.getByText("26–26 of 26")).toBeDefined();
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Next" }).disabled).toBe(true);
  await user.click(screen.getByRole("button", { name: "Previous" }));
  expect(await row("Production")).toBeDefined();
  expect(path()).toBe("/settings/networks?cursor=first");
  await router.navigate(-1);
  expect(await row("Staging")).toBeDefined();
});

it("fetches the next page when Next is pointed at or focused", async () => {
  const api = pages();
  const { user } = open();
  await row("Production");
  await user.hover(screen.getByRole("button", { name: "Copy CIDR of Production" }));
  expect(api.calls(listNetworksV2)).toHaveLength(1);
  await user.hover(screen.getByRole("button", { name: "Next" }));
  await vi.waitFor(() => expect(api.calls(listNetworksV2)).toHaveLength(2));
  expect(api.calls(listNetworksV2)[1]?.query.cursor).toBe("second");
});

it("refetches without the cursor if it led to a first page that is not full [S7.23]", async () => {
  const api = transport().on(listNetworksV2, ({ query }) =>
    query.cursor ? page([staging]) : page([production, staging]),
  );
  const { path } = open("/settings/networks?cursor=stale");
  expect(await row("Production")).toBeDefined();
  expect(path()).toBe("/settings/networks");
  expect(api.calls(listNetworksV2).map(({ query }) => query.cursor)).toEqual(["stale", undefined]);
});

it("keeps the cursor of a full first page and of a later page that is not full [S7.23]", async () => {
  const api = transport().on(listNetworksV2, ({ query }) =>
    query.cursor === "full" ? page([production], { page: { start: 0, count: 25 } }) : secondPage(),
  );
  const { path, router } = open("/settings/networks?cursor=full");
  await row("Production");
  expect(path()).toBe("/settings/networks?cursor=full");
  await router.navigate("/settings/networks?cursor=second");
  await row("Staging");
  expect(path()).toBe("/settings/networks?cursor=second");
  expect(api.calls(listNetworksV2)).toHaveLength(2);
});

it("goes to the first page if a later one has become empty", async () => {
  transport().on(listNetworksV2, ({ query }) =>
    query.cursor ? page<NetworkV2>([], { page: { start: 25, count: 0 } }) : page([production]),
  );
  const { path } = open("/settings/networks?cursor=second");
  expect(await row("Production")).toBeDefined();
  expect(path()).toBe("/settings/networks");
});

it("goes to the first page if the cursor is rejected", async () => {
  transport().on(listNetworksV2, ({ query }) => {
    if (query.cursor) throw failure("ERR_INVALID_VALUE", { path: "cursor" });
    return page([production]);
  });
  const { path } = open("/settings/networks?cursor=broken");
  expect(await row("Production")).toBeDefined();
  expect(path()).toBe("/settings/networks");
});

it("moves through the rows with j and k, opens one with Enter and adds one with c", async () => {
  twoNetworks();
  const stopListening = listenForShortcuts();
  const { user, path, router } = open();
  await row("Production");
  await user.keyboard("jj");
  expect(document.activeElement?.textContent).toBe("Staging");
  await user.keyboard("j");
  expect(document.activeElement?.textContent).toBe("Staging");
  await user.keyboard("k");
  expect(document.activeElement?.textContent).toBe("Production");
  await user.keyboard("{Enter}");
  expect(path()).toBe(`/settings/networks/${production.id}`);
  await router.navigate("/settings/networks");
  await row("Production");
  await user.keyboard("c");
  expect(path()).toBe("/settings/networks/add");
  stopListening();
});

async function openMenu() {
  const { user, path } = open();
  await row("Staging");
  await user.click(screen.getByRole("button", { name: "Actions for Staging" }));
  return { user, path };
}

it("links from the row's menu to the edit page", async () => {
  twoNetworks();
  const { user, path } = await openMenu();
  await user.click(await screen.findByRole("menuitem", { name: "Edit" }));
  expect(path()).toBe(`/settings/networks/${staging.id}`);
});

async function openDialog() {
  const { user } = await openMenu();
  await user.click(await screen.findByRole("menuitem", { name: "Delete…" }));
  return { user, dialog: within(await screen.findByRole("alertdialog")) };
}

it("names the network and the consequence before it deletes [S7.14]", async () => {
  const api = twoNetworks().on(deleteNetwork, () => ({}));
  const { user, dialog } = await openDialog();
  expect(dialog.getByRole("heading", { name: "Delete network Staging?" })).toBeDefined();
  expect(dialog.getByText(/^100\.100\.4\.0\/22 becomes available.*can’t undo this\.$/)).toBeDefined();
  api.on(listNetworksV2, () => page([production]));
  await user.click(dialog.getByRole("button", { name: "Delete network" }));
  expect(await screen.findByText("Network Staging deleted")).toBeDefined();
  await vi.waitFor(() => expect(screen.queryByRole("link", { name: "Staging" })).toBeNull());
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect(api.calls(deleteNetwork)[0]?.params).toEqual({ networkID: staging.id });
});

it("names both ranges before it deletes a network with two", async () => {
  const lab = named("Staging", { cidrs: ["10.1.0.0/16", "fd12::/64"], certVersion: 2 });
  transport().on(listNetworksV2, () => page([lab]));
  const { dialog } = await openDialog();
  expect(dialog.getByText(/^10\.1\.0\.0\/16 and fd12::\/64 become available/)).toBeDefined();
});

it("says, with both spaces, that a network with hosts can’t be deleted [S8.14]", async () => {
  twoNetworks().on(deleteNetwork, () => {
    throw failure("ERR_HAS_DEPENDENTS");
  });
  const { user, dialog } = await openDialog();
  await user.click(dialog.getByRole("button", { name: "Delete network" }));
  expect((await dialog.findByRole("alert")).textContent).toBe(
    "This network contains hosts, relays, and/or lighthouses.  Please delete them and try again.",
  );
  await user.click(dialog.getByRole("button", { name: "Cancel" }));
  await vi.waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  expect(await row("Staging")).toBeDefined();
});
