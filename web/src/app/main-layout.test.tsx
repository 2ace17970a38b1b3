import { listNetworksV2, signOut, whoami, type CurrentUser } from "@lightkeeper/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { rememberNetworkFilter } from "../references/network-filter.ts";
import { invalidateNoun } from "../lib/query.ts";
import { readTokens } from "../lib/tokens.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { oidcUser, network, user } from "../testing/samples.ts";
import { page, transport } from "../testing/transport.ts";
import { accountItems } from "./account-menu.tsx";
import { MainLayout } from "./main-layout.tsx";
import { registeredPaths } from "./navigation.ts";

// jsdom lacks modal dialogs and media queries.
let wide: EventTarget;
beforeEach(() => {
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    if (!this.open) return;
    this.open = false;
    this.dispatchEvent(new Event("close"));
  };
  signIn();
});

function show(at = "/settings/networks", person: CurrentUser = user) {
  const server = transport()
    .on(whoami, () => person)
    .on(signOut, () => ({}))
    .on(listNetworksV2, () => page([network]));
  wide = new EventTarget();
  vi.stubGlobal("matchMedia", () => wide);
  const children = ["/settings/networks", "/settings/networks/add", "/elsewhere"].map((path) => ({
    path,
    element: <h1>{path}</h1>,
  }));
  return { server, ...renderRoutes([{ Component: MainLayout, children }], at) };
}

const side = () => within(screen.getAllByRole("navigation", { name: "Main" })[0]!);
const groupButton = (name: string) => side().getByRole("button", { name });
const expanded = (name: string) => groupButton(name).getAttribute("aria-expanded");

it("begins with a skip link to the main content [S2.24]", async () => {
  const { user: person } = show();
  await person.tab();
  expect(document.activeElement?.textContent).toBe("Go to main content");
  await person.keyboard("{Enter}");
  expect(document.activeElement).toBe(screen.getByRole("main"));
});

it("shows only pages that exist, and the documentation in a new tab [S2.27]", () => {
  show();
  const networks = side().getByRole("link", { name: "Networks" });
  expect(networks.getAttribute("href")).toBe("/settings/networks");
  expect(networks.getAttribute("aria-current")).toBe("page");
  const pages = side()
    .getAllByRole("link")
    .map((link) => link.getAttribute("href") ?? "");
  expect(pages.filter((path) => path !== "/docs/" && !registeredPaths.has(path))).toEqual([]);
  const documentation = side().getByText("Documentation").closest("a")!;
  expect(documentation.getAttribute("href")).toBe("/docs/");
  expect(documentation.target).toBe("_blank");
});

it("adds the last network filter to the links of the host lists [S2.26]", () => {
  show();
  act(() => rememberNetworkFilter(network.id));
  const hrefOf = (name: string) => side().getByRole("link", { name }).getAttribute("href");
  for (const name of ["Hosts", "Lighthouses", "Relays"])
    expect(hrefOf(name)).toBe(`/${name.toLowerCase()}?filter.networkID=${network.id}`);
  expect(hrefOf("Roles")).toBe("/roles");
  act(() => rememberNetworkFilter(undefined));
  expect(hrefOf("Hosts")).toBe("/hosts");
});

describe("a group of the sidebar [S2.28]", () => {
  it("is open while the path is under a child, and closes when it leaves", async () => {
    const { router } = show("/settings/networks");
    expect(expanded("Settings")).toBe("true");
    await act(() => router.navigate("/settings/networks/add"));
    expect(expanded("Settings")).toBe("true");
    await act(() => router.navigate("/elsewhere"));
    expect(expanded("Settings")).toBe("false");
    expect(side().queryByRole("link", { name: "Networks" })).toBeNull();
    await act(() => router.navigate("/settings/networks"));
    expect(expanded("Settings")).toBe("true");
  });

  it("that was opened manually closes with the next navigation", async () => {
    const { router, user: person } = show("/elsewhere");
    await person.click(groupButton("Support"));
    expect(expanded("Support")).toBe("true");
    await act(() => router.navigate("/elsewhere?page=2"));
    expect(expanded("Support")).toBe("false");
    await act(() => router.navigate("/settings/networks"));
    await person.click(groupButton("Support"));
    await act(() => router.navigate("/settings/networks/add"));
    expect([expanded("Settings"), expanded("Support")]).toEqual(["true", "false"]);
  });

  it("closes the other when opened", async () => {
    const { user: person } = show();
    await person.click(groupButton("Support"));
    expect([expanded("Support"), expanded("Settings")]).toEqual(["true", "false"]);
    await person.click(groupButton("Support"));
    expect([expanded("Support"), expanded("Settings")]).toEqual(["false", "false"]);
  });
});

describe("the account menu [S2.29]", () => {
  it("shows the email address and Logout, which signs out", async () => {
    const { server, user: person } = show();
    await waitFor(() => expect(server.calls(whoami)).toHaveLength(1));
    await person.click(screen.getByRole("button", { name: "Your Account" }));
    expect(await screen.findByText("ada@example.com")).toBeTruthy();
    await person.click(await screen.findByRole("menuitem", { name: "Logout" }));
    await waitFor(() => expect(readTokens().userToken).toBeUndefined());
    expect(server.calls(signOut)).toHaveLength(1);
  });

  it("has user settings for type user only, once that page exists [S6.1]", () => {
    const registered = new Set(["/settings/user"]);
    const labels = (...given: Parameters<typeof accountItems>) =>
      accountItems(...given).map(({ label }) => label);
    expect(labels({ actorType: "user" }, registered)).toEqual(["User settings", "Logout"]);
    expect(labels({ actorType: oidcUser.actorType as "oidcUser" }, registered)).toEqual(["Logout"]);
    expect(labels(undefined, registered)).toEqual(["Logout"]);
    expect(labels({ actorType: "user" }, new Set())).toEqual(["Logout"]);
  });
});

describe("the hamburger menu [S2.24]", () => {
  const open = async () => {
    const shown = show();
    await shown.user.click(screen.getByRole("button", { name: "Menu" }));
    return { ...shown, panel: await screen.findByRole("dialog", { name: "Menu" }) };
  };
  const expectClosed = () => expect(screen.queryByRole("dialog")).toBeNull();

  it("opens the navigation and the account", async () => {
    const { panel } = await open();
    expect(within(panel).getByRole("link", { name: "Networks" })).toBeTruthy();
    const account = within(panel).getByRole("region", { name: "Your Account" });
    expect(await within(account).findByText("ada@example.com")).toBeTruthy();
    expect(within(account).getByRole("button", { name: "Logout" })).toBeTruthy();
  });

  it("closes on Escape, which the browser turns into a close", async () => {
    const { panel } = await open();
    act(() => (panel as HTMLDialogElement).close());
    expectClosed();
  });

  it("closes on navigation, even to the same page", async () => {
    const { panel, user: person } = await open();
    await person.click(within(panel).getByRole("link", { name: "Networks" }));
    expectClosed();
  });

  it("closes with its button, and on a click outside", async () => {
    const { panel, user: person } = await open();
    await person.click(within(panel).getByRole("button", { name: "Close menu" }));
    expectClosed();
    await person.click(screen.getByRole("button", { name: "Menu" }));
    await person.click(screen.getByRole("dialog"));
    expectClosed();
  });

  it("closes when the screen becomes wide enough for the sidebar", async () => {
    await open();
    act(() => void wide.dispatchEvent(new Event("change")));
    expectClosed();
  });

  it("stays open while the page behind it changes", async () => {
    const { panel } = await open();
    await act(() => invalidateNoun("auth"));
    expect(screen.getByRole("dialog")).toBe(panel);
    expect((panel as HTMLDialogElement).open).toBe(true);
  });
});

describe("keyboard shortcuts", () => {
  it("open networks with g n", async () => {
    const { user: person, path } = show("/elsewhere");
    await person.keyboard("gn");
    await waitFor(() => expect(path()).toBe("/settings/networks"));
  });

  it("are listed with ?", async () => {
    const { user: person } = show();
    await person.keyboard("?");
    const dialog = await screen.findByRole("dialog", { name: "Keyboard shortcuts" });
    const group = (name: string) => within(within(dialog).getByRole("region", { name }));
    expect(group("Go to").getByText("Networks")).toBeTruthy();
    expect(group("Go to").getByText("Members")).toBeTruthy();
    expect(group("Go to").queryByText("Search and run commands")).toBeNull();
    expect(group("Anywhere").getByText("Search and run commands")).toBeTruthy();
    expect(group("Anywhere").getByText("Show keyboard shortcuts")).toBeTruthy();
    expect(
      within(dialog)
        .getAllByRole("heading", { level: 2 })
        .map(({ textContent }) => textContent),
    ).toEqual(["Anywhere", "Go to"]);
    await person.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
});
