import {
  type HostV2,
  listHostsV2,
  listMembers,
  listNetworksV2,
  listRoles,
  listRoutes,
  listTags,
  type Member,
} from "@lightkeeper/contract";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { createIndex } from "../../../docs/site/search.mjs";
import { openPalette, options, server, signInBeforeEach } from "../testing/command-palette.tsx";
import { enrolledHost, host, network, role, route, tag } from "../testing/samples.ts";
import { page } from "../testing/transport.ts";

const { firewallRules: rules, ...routeItem } = { ...route, firewallRulesCount: 0 };
routeItem.firewallRulesCount = rules.length;

signInBeforeEach();

it("finds hosts and all other objects that match", async () => {
  const { user: person, path, dialog } = await openPalette();
  server
    .on(listRoles, () => page([{ ...role, name: "web servers" }]))
    .on(listTags, () => page([{ ...tag, name: "team:web" }]))
    .on(listRoutes, () => page([{ ...routeItem, name: "web lan" }]));
  await person.keyboard("web");
  for (const name of [/^web-1/, /^web servers/, /^team:web/, /^web lan/])
    expect(await dialog.findByRole("option", { name })).toBeDefined();
  await waitFor(() =>
    expect(server.calls(listHostsV2).at(-1)?.query).toMatchObject({ "filter.search": "web", pageSize: "50" }),
  );
  await waitFor(() =>
    expect(dialog.getByRole("option", { name: /^web-1/ }).hasAttribute("data-active-item")).toBe(true),
  );
  await person.keyboard("{Enter}");
  await waitFor(() => expect(path()).toBe(`/hosts/${host.id}`));
});

it("ranks hosts that match by name before hosts that match by tag", async () => {
  const { user: person, dialog } = await openPalette();
  const hostNamed = (name: string, tags: string[] = []) => ({ ...host, id: `host-${name}`, name, tags });
  server.on(listHostsV2, () =>
    page([
      hostNamed("api", ["team:web"]),
      hostNamed("my-web"),
      ...Array.from({ length: 9 }, (_, n) => hostNamed(`web${n}`)),
    ]),
  );
  await person.keyboard("web");
  await dialog.findByRole("option", { name: /^web0/ });
  const hosts = options().slice(0, 8);
  expect(hosts.every((name) => name?.startsWith("web"))).toBe(true);
});

it("finds networks by name and address", async () => {
  const { user: person, dialog } = await openPalette();
  await person.keyboard("100.100");
  const option = await dialog.findByRole("option", { name: /^Production/ });
  expect(option.getAttribute("href")).toBe(`/settings/networks/${network.id}`);
});

it("shows network and status to distinguish hosts with the same name", async () => {
  const { user: person, dialog } = await openPalette();
  const staging = { ...network, id: `network-${"B".repeat(26)}`, name: "Staging" };
  const namesake: HostV2 = {
    ...enrolledHost,
    id: `host-${"B".repeat(26)}`,
    networkID: staging.id,
    ipAddresses: ["100.100.4.7"],
  };
  server.on(listNetworksV2, () => page([network, staging])).on(listHostsV2, () => page([host, namesake]));
  await person.keyboard("web-1");
  const first = await dialog.findByRole("option", { name: /^web-1.*Production.*Not enrolled/ });
  const second = await dialog.findByRole("option", { name: /^web-1.*Staging.*Online/ });
  expect([first, second].map((option) => option.getAttribute("href"))).toEqual([
    `/hosts/${host.id}`,
    `/hosts/${namesake.id}`,
  ]);
});

it("searches for the first letter and after a pause, not for every letter", async () => {
  const { dialog, input } = await openPalette();
  // Faster than any person, so that no pause is seen on a busy machine.
  for (const value of ["w", "we", "web", "web-", "web-1"]) fireEvent.change(input, { target: { value } });
  await dialog.findByRole("option", { name: /^web-1/ });
  await waitFor(() => expect(server.calls(listHostsV2).at(-1)?.query["filter.search"]).toBe("web-1"));
  expect(server.calls(listHostsV2).map(({ query }) => query["filter.search"])).toEqual(["w", "web-1"]);
  for (const list of [listNetworksV2, listMembers]) expect(server.calls(list)).toHaveLength(1);
});

it("never shows results of an earlier text", async () => {
  const { user: person, dialog } = await openPalette();
  let respondToFirst = () => {};
  const late = new Promise<void>((resolve) => (respondToFirst = resolve));
  server.on(listHostsV2, async ({ query }) => {
    if (query["filter.search"] === "w") await late;
    return page([{ ...host, name: `found by ${query["filter.search"]}` }]);
  });
  await person.keyboard("web");
  expect(await dialog.findByRole("option", { name: /^found by web/ })).toBeDefined();
  respondToFirst();
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
  const { user: person, dialog, path } = await openPalette();
  server.on(listMembers, () => page([{ ...member, id: "ada", email: "ada@example.com" }, member]));
  await person.keyboard("grace");
  await person.click(await dialog.findByRole("option", { name: /^grace@example\.com.*Auditor · Invited/ }));
  expect(dialog.queryByRole("option", { name: /^ada@/ })).toBeNull();
  await waitFor(() => expect(path()).toBe("/settings/members"));
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
    const { user: person, dialog } = await openPalette();
    server.docsIndex = indexOf(section);
    await person.keyboard("another authenticator");
    const option = await dialog.findByRole("option", { name: /^A lost authenticator.*Members and roles/ });
    expect(option.getAttribute("href")).toBe(section.id);
    expect(option.getAttribute("target")).toBe("_blank");
  });

  it("is omitted when it can't be loaded", async () => {
    const { user: person, dialog } = await openPalette();
    await person.keyboard("networks");
    expect(await dialog.findByRole("option", { name: /^Networks/ })).toBeDefined();
    await waitFor(() => expect(dialog.getByRole("listbox").getAttribute("aria-busy")).toBe("false"));
    expect(dialog.queryByText("Documentation")).toBeNull();
    expect(dialog.queryByRole("status")).toBeNull();
  });
});

it("shows that there are no results", async () => {
  const { user: person } = await openPalette();
  await person.keyboard("zzz");
  expect(await screen.findByText(/^No results for/)).toBeDefined();
});
