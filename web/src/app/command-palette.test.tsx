import {
  type CurrentUser,
  getFeatureFlags,
  type HostV2,
  listHostsV2,
  listMembers,
  type Member,
  listNetworks,
  listRoles,
  listRoutes,
  listTags,
  signOut,
  whoami,
} from "@lightkeeper/contract";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createIndex } from "../../../docs/site/search.mjs";
import { invalidateNoun } from "../lib/query.ts";
import { readTokens } from "../lib/tokens.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { auditor, enrolledHost, host, network, role, route, tag, user } from "../testing/samples.ts";
import { failure, page, transport, type Transport } from "../testing/transport.ts";
import { MainLayout } from "./main-layout.tsx";

const { firewallRules: rules, ...routeItem } = { ...route, firewallRulesCount: 0 };
routeItem.firewallRulesCount = rules.length;

let server: Transport;

beforeEach(() => {
  signIn();
  vi.stubGlobal("matchMedia", () => new EventTarget());
});

function show(at = "/settings/networks", person: CurrentUser = user) {
  server = transport()
    .on(whoami, () => person)
    .on(signOut, () => ({}))
    .on(getFeatureFlags, () => ({}))
    .on(listNetworks, () => page([network]))
    .on(listHostsV2, ({ query }) => page(host.name.includes(query["filter.search"] ?? "") ? [host] : []))
    .on(listMembers, () => page([]))
    .on(listRoles, () => page([]))
    .on(listTags, () => page([]))
    .on(listRoutes, () => page([]));
  const children = [
    { path: "/settings/networks", element: <input aria-label="Search networks" /> },
    { path: "*", element: <h1>Elsewhere</h1> },
  ];
  return renderRoutes([{ Component: MainLayout, children }], at);
}

async function open(at?: string, person?: CurrentUser) {
  const shown = show(at, person);
  await shown.user.keyboard("{Control>}k{/Control}");
  const dialog = await screen.findByRole("dialog", { name: "Search and commands" });
  const input = await within(dialog).findByRole("combobox", { name: "Search and commands" });
  await waitFor(() => expect(document.activeElement).toBe(input));
  return { ...shown, dialog: within(dialog), input };
}
const options = () => screen.getAllByRole("option").map(({ textContent }) => textContent);
const expectClosed = () => waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());

it("opens with Ctrl+K anywhere, closes with Escape, and restores the focus", async () => {
  const { user: person } = show();
  const search = await screen.findByLabelText("Search networks");
  await person.click(search);
  await person.keyboard("{Control>}k{/Control}");
  await screen.findByRole("combobox");
  await person.keyboard("{Escape}");
  await expectClosed();
  expect(document.activeElement).toBe(search);
});

it("opens with its button", async () => {
  const { user: person } = show();
  await person.click(screen.getAllByRole("button", { name: "Search and commands" })[0]!);
  expect(await screen.findByRole("combobox")).toBeDefined();
});

it("opens a page by a part of its name and Enter", async () => {
  const { user: person, path } = await open("/elsewhere");
  await person.keyboard("netw");
  await waitFor(() => expect(options()[0]).toContain("Networks"));
  await person.keyboard("{Enter}");
  await expectClosed();
  expect(path()).toBe("/settings/networks");
});

it("finds hosts and all other objects that match", async () => {
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

it("ranks hosts that match by name before hosts that match by tag", async () => {
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

it("shows network and status to distinguish hosts with the same name", async () => {
  const { user: person, dialog } = await open();
  const other = { ...network, id: `network-${"B".repeat(26)}`, name: "Staging" };
  const namesake: HostV2 = {
    ...enrolledHost,
    id: `host-${"B".repeat(26)}`,
    networkID: other.id,
    ipAddresses: ["100.100.4.7"],
  };
  server.on(listNetworks, () => page([network, other])).on(listHostsV2, () => page([host, namesake]));
  await person.keyboard("web-1");
  const first = await dialog.findByRole("option", { name: /^web-1.*Production.*Not enrolled/ });
  const second = await dialog.findByRole("option", { name: /^web-1.*Staging.*Online/ });
  expect([first, second].map((option) => option.getAttribute("href"))).toEqual([
    `/hosts/${host.id}`,
    `/hosts/${namesake.id}`,
  ]);
});

it("searches for the first letter and after a pause, not for every letter", async () => {
  const { dialog, input } = await open();
  // Faster than any person, so that no pause is seen on a busy machine.
  for (const value of ["w", "we", "web", "web-", "web-1"]) fireEvent.change(input, { target: { value } });
  await dialog.findByRole("option", { name: /^web-1/ });
  await waitFor(() => expect(server.calls(listHostsV2).at(-1)?.query["filter.search"]).toBe("web-1"));
  expect(server.calls(listHostsV2).map(({ query }) => query["filter.search"])).toEqual(["w", "web-1"]);
  for (const list of [listNetworks, listMembers]) expect(server.calls(list)).toHaveLength(1);
});

it("never shows results of an earlier text", async () => {
  const { user: person, dialog } = await open();
  let answerFirst = () => {};
  const late = new Promise<void>((resolve) => (answerFirst = resolve));
  server.on(listHostsV2, async ({ query }) => {
    if (query["filter.search"] === "w") await late;
    return page([{ ...host, name: `found by ${query["filter.search"]}` }]);
  });
  await person.keyboard("web");
  expect(await dialog.findByRole("option", { name: /^found by web/ })).toBeDefined();
  answerFirst();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(dialog.queryByRole("option", { name: /^found by w / })).toBeNull();
  expect(dialog.getByRole("option", { name: /^found by web/ })).toBeDefined();
});

it("finds members by address, each with role and state", async () => {
  const member: Member = {
    id: "grace",
    kind: "invitation",
    email: "grace@example.com",
    role: "auditor",
    createdAt: "2026-11-01T09:00:00Z",
    expiresAt: "2099-01-01T00:00:00Z",
    removedAt: null,
    invitedBy: null,
  };
  const { user: person, dialog, path } = await open();
  server.on(listMembers, () => page([{ ...member, id: "ada", email: "ada@example.com" }, member]));
  await person.keyboard("grace");
  await person.click(await dialog.findByRole("option", { name: /^grace@example\.com.*Auditor · Invited/ }));
  expect(dialog.queryByRole("option", { name: /^ada@/ })).toBeNull();
  await waitFor(() => expect(path()).toBe("/settings/members"));
});

describe("blocking a host", () => {
  it("asks for the host, and opens the confirmation", async () => {
    const { user: person, dialog, path } = await open();
    await person.keyboard("block host");
    await person.click(await dialog.findByRole("option", { name: "Block host…" }));
    await waitFor(() => expect(dialog.getByRole<HTMLInputElement>("combobox").value).toBe("Block "));
    expect(await dialog.findByRole("option", { name: /^Block web-1.*Production/ })).toBeDefined();
    expect(dialog.queryByRole("option", { name: "Block host…" })).toBeNull();
    await person.click(dialog.getByRole("combobox"));
    await person.keyboard("web");
    await waitFor(() =>
      expect(server.calls(listHostsV2).at(-1)?.query).toMatchObject({
        "filter.search": "web",
        "filter.isBlocked": "false",
      }),
    );
    await person.click(await dialog.findByRole("option", { name: /^Block web-1/ }));
    await waitFor(() => expect(path()).toBe(`/hosts/${host.id}/block`));
  });

  it("is not offered to an auditor", async () => {
    const { user: person, dialog } = await open("/settings/networks", auditor);
    await person.keyboard("block web");
    await waitFor(() => expect(server.calls(listHostsV2).at(-1)?.query["filter.search"]).toBe("block web"));
    expect(dialog.queryByRole("option", { name: /^Block/ })).toBeNull();
  });

  it("is not offered for a host that is blocked", async () => {
    const { user: person, dialog } = await open();
    const blocked = { ...host, id: "host-blocked", name: "web-2", isBlocked: true };
    server.on(listHostsV2, () => page([blocked, host]));
    await person.keyboard("block web");
    expect(await dialog.findByRole("option", { name: /^Block web-1/ })).toBeDefined();
    expect(dialog.queryByRole("option", { name: /^Block web-2/ })).toBeNull();
  });
});

it("rotates the CA of a network by its name, where CAs are enabled", async () => {
  const { user: person, dialog } = await open();
  server.on(getFeatureFlags, () => ({ LIST_CERT_AUTHORITIES: true }));
  await act(() => invalidateNoun("feature-flags"));
  await person.keyboard("rotate prod");
  const option = await dialog.findByRole("option", { name: /^Rotate the CA of Production/ });
  expect(option.getAttribute("href")).toBe(`/certificate-authorities/${network.id}/rotate`);
});

it("exports the hosts without leaving the page", async () => {
  const { user: person, dialog, path } = await open();
  const downloads = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => {});
  vi.stubGlobal(
    "URL",
    Object.assign(URL, { createObjectURL: () => "blob:hosts", revokeObjectURL: () => {} }),
  );
  await person.keyboard("export hosts");
  await person.click(await dialog.findByRole("option", { name: "Export hosts" }));
  expect(await screen.findByText("1 host exported")).toBeDefined();
  expect(downloads).toHaveBeenCalledOnce();
  expect(path()).toBe("/settings/networks");
  downloads.mockRestore();
});

describe("the documentation", () => {
  const section = {
    id: "/docs/members-and-roles#a-lost-authenticator",
    title: "A lost authenticator",
    page: "Members and roles",
    text: "Log in with another authenticator of yours, and delete the lost one.",
    excerpt: "Log in",
  };
  const indexOf = (...sections: (typeof section)[]) => {
    const index = createIndex();
    for (const one of sections) index.add(one);
    return JSON.stringify(index);
  };

  it("is searched by its text, and opens in a new tab", async () => {
    const { user: person, dialog } = await open();
    server.docsIndex = indexOf(section);
    await person.keyboard("another authenticator");
    const option = await dialog.findByRole("option", { name: /^A lost authenticator.*Members and roles/ });
    expect(option.getAttribute("href")).toBe(section.id);
    expect(option.getAttribute("target")).toBe("_blank");
  });

  it("is omitted when it can't be loaded", async () => {
    const { user: person, dialog } = await open();
    await person.keyboard("networks");
    expect(await dialog.findByRole("option", { name: /^Networks/ })).toBeDefined();
    await waitFor(() => expect(dialog.getByRole("listbox").getAttribute("aria-busy")).toBe("false"));
    expect(dialog.queryByText("Documentation")).toBeNull();
    expect(dialog.queryByRole("status")).toBeNull();
  });
});

it("runs a command", async () => {
  const { user: person, dialog } = await open();
  await person.keyboard("log out");
  await dialog.findByRole("option", { name: /^Log out/ });
  await person.keyboard("{Enter}");
  await waitFor(() => expect(readTokens().userToken).toBeUndefined());
  expect(server.calls(signOut)).toHaveLength(1);
});

it("shows that there are no results", async () => {
  const { user: person } = await open();
  await person.keyboard("zzz");
  expect(await screen.findByText(/^No results for/)).toBeDefined();
});

it("keeps offering pages and actions while the server is unreachable", async () => {
  const { user: person, dialog } = await open();
  server.on(listHostsV2, () => {
    throw failure("ERR_UNAVAILABLE");
  });
  await person.keyboard("net");
  expect(await dialog.findByText("Request failed: temporarily unavailable")).toBeDefined();
  expect(dialog.getByRole("option", { name: /^Networks/ })).toBeDefined();
});

it("is listed among the shortcuts, and doesn't react to its letter alone", async () => {
  const { user: person } = show();
  await person.keyboard("?");
  const dialog = within(await screen.findByRole("dialog", { name: "Keyboard shortcuts" }));
  expect(dialog.getByText("Search and run commands")).toBeDefined();
  expect(dialog.getByText("Ctrl K")).toBeDefined();
});
