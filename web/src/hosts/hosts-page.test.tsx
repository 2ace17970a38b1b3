import { listDeviceRequests, listHostsV2 } from "@lightkeeper/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { listenForShortcuts } from "../lib/shortcuts.ts";
import {
  db,
  hostNamed,
  hostQueries,
  lastHostQuery,
  openHosts,
  rowOf,
  serveHosts,
  web,
} from "../testing/host-list.tsx";
import { signIn } from "../testing/render.tsx";
import { enrolledHost, host, role } from "../testing/samples.ts";
import { failure, page } from "../testing/transport.ts";

beforeEach(signIn);

it("lists the hosts with their count and status [S2.7]", async () => {
  const api = serveHosts();
  openHosts();
  const cells = within(await rowOf("web"));
  expect(cells.getByRole("link", { name: "web" }).getAttribute("href")).toBe(`/hosts/${web.id}`);
  expect(cells.getByText("Online")).toBeDefined();
  expect(cells.getByText("100.100.0.7")).toBeDefined();
  expect(cells.getByText("env:prod")).toBeDefined();
  expect(cells.getByTitle("env:prod, site:fra, team:web")).toBeDefined();
  expect((await cells.findByRole("link", { name: role.name })).getAttribute("href")).toBe(
    `/roles/${role.id}`,
  );
  expect(await cells.findByText("Production")).toBeDefined();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Hosts · 3");
  expect(document.title).toBe("Hosts - Lightkeeper");
  expect(hostQueries(api)[0]).toEqual({
    includeCounts: "true",
    pageSize: "25",
    sort: "name",
    "filter.isLighthouse": "false",
    "filter.isRelay": "false",
  });
});

it("shows both addresses of a host, each to copy", async () => {
  serveHosts([web, hostNamed("both", { ipAddresses: ["100.100.0.9", "fd12::9"] })]);
  openHosts();
  const cells = within(await rowOf("both"));
  expect(cells.getByTitle("100.100.0.9").textContent).toBe("100.100.0.9");
  expect(cells.getByTitle("fd12::9").textContent).toBe("fd12::9");
  expect(cells.getByRole("button", { name: "Copy IPv4 address of both" })).toBeDefined();
  expect(cells.getByRole("button", { name: "Copy IPv6 address of both" })).toBeDefined();
  expect(within(await rowOf("web")).getByRole("button", { name: "Copy address of web" })).toBeDefined();
});

it.each([
  ["/lighthouses", "Lighthouses", { "filter.isLighthouse": "true", "filter.isRelay": "false" }],
  ["/relays", "Relays", { "filter.isLighthouse": "false", "filter.isRelay": "true" }],
])("lists the hosts of one kind at %s [S2.8] [S2.9]", async (path, title, kind) => {
  const api = serveHosts([
    hostNamed("gate", { isLighthouse: path === "/lighthouses", isRelay: path === "/relays" }),
  ]);
  openHosts(path);
  expect((await screen.findByRole("link", { name: "gate" })).getAttribute("href")).toMatch(path);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(`${title} · 1`);
  expect(hostQueries(api)[0]).toMatchObject(kind);
});

it("counts the matches of a search after showing them, and marks a count that isn't exact", async () => {
  let count = () => {};
  const counted = new Promise<void>((resolve) => (count = resolve));
  const api = serveHosts().on(listHostsV2, async ({ query }) => {
    if (query.includeCounts !== "true") return page([web], { totalCount: undefined, hasNextPage: true });
    await counted;
    return page([web], { totalCount: 10_000, totalCountCapped: true, hasNextPage: true });
  });
  openHosts("/hosts?filter.search=w");
  expect(await rowOf("web")).toBeDefined();
  const heading = screen.getByRole("heading", { level: 1 });
  expect(heading.textContent).toBe("Hosts");
  count();
  await waitFor(() => expect(heading.textContent).toBe("Hosts · 10,000+"));
  expect(screen.getByText("1–1 of 10,000+")).toBeDefined();
  expect(hostQueries(api).map(({ includeCounts, pageSize }) => [includeCounts, pageSize])).toEqual([
    ["false", "25"],
    ["true", "1"],
  ]);
});

it("shows no count if the matches of a search can't be counted", async () => {
  serveHosts().on(listHostsV2, ({ query }) => {
    if (!("filter.search" in query)) return page([web], { totalCount: 3 });
    if (query.includeCounts === "true") throw failure("ERR_NOT_FOUND");
    return page([web], { totalCount: undefined, hasNextPage: true });
  });
  const { user } = openHosts();
  const heading = () => screen.getByRole("heading", { level: 1 }).textContent;
  await waitFor(() => expect(heading()).toBe("Hosts · 3"));
  await user.type(await screen.findByRole("searchbox"), "w");
  await waitFor(() => expect(heading()).toBe("Hosts"));
});

it("doesn't request a count if all matches are on the page", async () => {
  const api = serveHosts([web]).on(listHostsV2, ({ query }) =>
    page(query.includeCounts === "true" ? [web, web] : [web]),
  );
  openHosts("/hosts?filter.search=w");
  expect(await rowOf("web")).toBeDefined();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Hosts · 1");
  expect(hostQueries(api)).toHaveLength(1);
});

it("shows the loading, empty and error states", async () => {
  const api = serveHosts().on(listHostsV2, () => new Promise<never>(() => undefined));
  const first = openHosts();
  expect(await screen.findByText("Loading Hosts")).toBeDefined();
  first.unmount();
  api.on(listHostsV2, () => page([]));
  const second = openHosts("/relays");
  expect(await screen.findByRole("heading", { name: "No relays yet" })).toBeDefined();
  expect(screen.getByRole("link", { name: "Add relay" }).getAttribute("href")).toBe("/relays/add");
  expect(screen.queryByRole("searchbox")).toBeNull();
  second.unmount();
  api.on(listHostsV2, () => {
    throw failure("ERR_INTERNAL_SERVER_ERROR", {}, "request-9");
  });
  const { user } = openHosts("/lighthouses");
  expect((await screen.findByRole("alert")).textContent).toContain("request-9");
  api.on(listHostsV2, () => page([web]));
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await rowOf("web")).toBeDefined();
});

it("sorts by the clicked header and reverses the order", async () => {
  const api = serveHosts();
  const { user, path } = openHosts();
  await rowOf("web");
  await user.click(screen.getByRole("button", { name: "Last seen" }));
  expect(path()).toBe("/hosts?sort=lastSeenAt");
  await user.click(screen.getByRole("button", { name: "Last seen" }));
  expect(path()).toBe("/hosts?sort=-lastSeenAt");
  await waitFor(() => expect(lastHostQuery(api)).toMatchObject({ sort: "-lastSeenAt" }));
  expect(screen.getByRole("columnheader", { name: "Last seen" }).getAttribute("aria-sort")).toBe(
    "descending",
  );
});

it("drops an invalid cursor", async () => {
  serveHosts().on(listHostsV2, ({ query }) => {
    if (query.cursor) throw failure("ERR_INVALID_VALUE", { path: "cursor" });
    return page([web]);
  });
  const { path } = openHosts("/hosts?cursor=stale&sort=-name");
  expect(await rowOf("web")).toBeDefined();
  expect(path()).toBe("/hosts?sort=-name");
});

it("supports the keys j, k, x, e, c and /", async () => {
  serveHosts();
  const stop = listenForShortcuts();
  const { user, path, router } = openHosts();
  await rowOf("web");
  await user.keyboard("j");
  expect(document.activeElement?.textContent).toBe("web");
  await user.keyboard("jx");
  expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "Select db" }).checked).toBe(true);
  await user.keyboard("k");
  expect(document.activeElement?.textContent).toBe("web");
  await user.keyboard("/");
  expect(document.activeElement).toBe(screen.getByRole("searchbox"));
  await user.keyboard("{Escape}");
  act(() => screen.getByRole("link", { name: "db" }).focus());
  await user.keyboard("e");
  expect(path()).toBe(`/hosts/${db.id}/edit`);
  await act(() => router.navigate("/relays"));
  await rowOf("web");
  await user.keyboard("c");
  expect(path()).toBe("/relays/add");
  stop();
});

it("offers actions that fit the host in its row's menu", async () => {
  serveHosts([
    hostNamed("free", { metadata: host.metadata }),
    hostNamed("cut", { isBlocked: true, metadata: { ...enrolledHost.metadata, statuses: ["blocked"] } }),
  ]);
  const { user } = openHosts();
  await user.click(within(await rowOf("free")).getByRole("button", { name: "Actions for free" }));
  const items = (await screen.findAllByRole("menuitem")).map((item) => item.textContent);
  expect(items).toEqual(["Edit", "Debug", "Check access from this host", "Enroll", "Block…", "Delete…"]);
  await user.keyboard("{Escape}");
  await user.click(within(await rowOf("cut")).getByRole("button", { name: "Actions for cut" }));
  expect(await screen.findByRole("menuitem", { name: "Unblock…" })).toBeDefined();
  expect(screen.queryByRole("menuitem", { name: "Enroll" })).toBeNull();
});

it("shows unusual names unchanged", async () => {
  const odd = `<script>alert(1)</script> ${"x".repeat(200)} שלום 🗼`;
  serveHosts([hostNamed("odd", { name: odd })]);
  openHosts();
  expect((await screen.findByRole("link", { name: odd })).getAttribute("dir")).toBe("auto");
});

it("shows device requests to an administrator, only on the list of hosts", async () => {
  const request = {
    id: "devicerequest-1",
    email: "ada@example.com",
    verificationCode: "BCDF-GHJK",
    address: "192.0.2.1",
    createdAt: "2026-11-01T09:00:00Z",
    expiresAt: "2099-11-01T09:00:00Z",
  };
  const api = serveHosts().on(listDeviceRequests, () => [request, { ...request, id: "devicerequest-2" }]);
  const { router } = openHosts();
  expect(await screen.findByText("2 devices are waiting for approval.")).toBeDefined();
  expect(screen.getByRole("link", { name: "Review" }).getAttribute("href")).toBe("/settings/sso");
  const callCount = api.calls(listDeviceRequests).length;
  await act(() => router.navigate("/relays"));
  await screen.findByRole("heading", { name: /^Relays/ });
  expect(screen.queryByText(/waiting for approval/)).toBeNull();
  expect(api.calls(listDeviceRequests)).toHaveLength(callCount);
});
