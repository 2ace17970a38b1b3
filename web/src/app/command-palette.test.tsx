import {
  getFeatureFlags,
  listHostsV2,
  listNetworks,
  listRoles,
  listRoutes,
  listTags,
  signOut,
  whoami,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { readTokens } from "../lib/tokens.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { host, network, role, route, tag, user } from "../testing/samples.ts";
import { failure, page, transport, type Transport } from "../testing/transport.ts";
import { MainLayout } from "./main-layout.tsx";

const { firewallRules: rules, ...routeItem } = { ...route, firewallRulesCount: 0 };
routeItem.firewallRulesCount = rules.length;

let server: Transport;

beforeEach(() => {
  signIn();
  vi.stubGlobal("matchMedia", () => new EventTarget());
});

function show(at = "/settings/networks") {
  server = transport()
    .on(whoami, () => user)
    .on(signOut, () => ({}))
    .on(getFeatureFlags, () => ({}))
    .on(listNetworks, () => page([network]))
    .on(listHostsV2, ({ query }) => page(host.name.includes(query["filter.search"] ?? "") ? [host] : []))
    .on(listRoles, () => page([]))
    .on(listTags, () => page([]))
    .on(listRoutes, () => page([]));
  const children = [
    { path: "/settings/networks", element: <input aria-label="Search networks" /> },
    { path: "*", element: <h1>Elsewhere</h1> },
  ];
  return renderRoutes([{ Component: MainLayout, children }], at);
}

async function open(at?: string) {
  const shown = show(at);
  await shown.user.keyboard("{Control>}k{/Control}");
  const dialog = await screen.findByRole("dialog", { name: "Search and commands" });
  const input = await within(dialog).findByRole("combobox", { name: "Search and commands" });
  await waitFor(() => expect(document.activeElement).toBe(input));
  return { ...shown, dialog: within(dialog), input };
}
const options = () => screen.getAllByRole("option").map(({ textContent }) => textContent);
const expectClosed = () => waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

it("opens by Ctrl+K from wherever one is, closes by Escape, and gives the focus back", async () => {
  const { user: person } = show();
  const search = await screen.findByLabelText("Search networks");
  await person.click(search);
  await person.keyboard("{Control>}k{/Control}");
  await screen.findByRole("combobox");
  await person.keyboard("{Escape}");
  await expectClosed();
  expect(document.activeElement).toBe(search);
});

it("opens by its button, for whoever has no keyboard", async () => {
  const { user: person } = show();
  await person.click(screen.getAllByRole("button", { name: "Search and commands" })[0]!);
  expect(await screen.findByRole("combobox")).toBeDefined();
});

it("goes to a page by a part of its name and Enter", async () => {
  const { user: person, path } = await open("/elsewhere");
  await person.keyboard("netw");
  await waitFor(() => expect(options()[0]).toContain("Networks"));
  await person.keyboard("{Enter}");
  await expectClosed();
  expect(path()).toBe("/settings/networks");
});

it("finds a host on the server, and whatever else has the word", async () => {
  const { user: person, path, dialog } = await open();
  server
    .on(listRoles, () => page([{ ...role, name: "web servers" }]))
    .on(listTags, () => page([{ ...tag, name: "team:web" }]))
    .on(listRoutes, () => page([{ ...routeItem, name: "web lan" }]));
  await person.keyboard("web");
  for (const name of [/^web-1/, /^web servers/, /^team:web/, /^web lan/])
    expect(await dialog.findByRole("option", { name })).toBeDefined();
  expect(server.calls(listHostsV2).at(-1)?.query).toMatchObject({ "filter.search": "web", pageSize: "50" });
  await waitFor(() =>
    expect(dialog.getByRole("option", { name: /^web-1/ }).hasAttribute("data-active-item")).toBe(true),
  );
  await person.keyboard("{Enter}");
  await waitFor(() => expect(path()).toBe(`/hosts/${host.id}`));
});

it("puts hosts with the word in their name before those that only have it in a tag", async () => {
  const { user: person, dialog } = await open();
  const named = (name: string, tags: string[] = []) => ({ ...host, id: `host-${name}`, name, tags });
  server.on(listHostsV2, () =>
    page([
      named("api", ["team:web"]),
      named("my-web"),
      ...Array.from({ length: 9 }, (_, n) => named(`web${n}`)),
    ]),
  );
  await person.keyboard("web");
  await dialog.findByRole("option", { name: /^web0/ });
  const hosts = options().slice(0, 8);
  expect(hosts.every((name) => name?.startsWith("web"))).toBe(true);
});

it("finds networks by name and address", async () => {
  const { user: person, dialog } = await open();
  await person.keyboard("100.100");
  const option = await dialog.findByRole("option", { name: /^Production/ });
  expect(option.getAttribute("href")).toBe(`/settings/networks/${network.id}`);
});

it("runs what it is told to do", async () => {
  const { user: person, dialog } = await open();
  await person.keyboard("log out");
  await dialog.findByRole("option", { name: /^Log out/ });
  await person.keyboard("{Enter}");
  await waitFor(() => expect(readTokens().userToken).toBeUndefined());
  expect(server.calls(signOut)).toHaveLength(1);
});

it("says that nothing matches", async () => {
  const { user: person } = await open();
  await person.keyboard("zzz");
  expect(await screen.findByText(/^Nothing matches/)).toBeDefined();
});

it("keeps offering pages and actions while the server does not answer", async () => {
  const { user: person, dialog } = await open();
  server.on(listHostsV2, () => {
    throw failure("ERR_UNAVAILABLE");
  });
  await person.keyboard("net");
  expect(await dialog.findByText("Request failed: temporarily unavailable")).toBeDefined();
  expect(dialog.getByRole("option", { name: /^Networks/ })).toBeDefined();
});

it("is listed among the shortcuts, and leaves its letter alone", async () => {
  const { user: person } = show();
  await person.keyboard("?");
  const dialog = within(await screen.findByRole("dialog", { name: "Keyboard shortcuts" }));
  expect(dialog.getByText("Search and run commands")).toBeDefined();
  expect(dialog.getByText("Ctrl K")).toBeDefined();
});
