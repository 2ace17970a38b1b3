import {
  bulkHosts,
  getJob,
  listDeviceRequests,
  listHostsV2,
  listNetworks,
  listRoles,
  listTags,
  type HostV2,
  type Job,
} from "@lightkeeper/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { listenForShortcuts } from "../lib/shortcuts.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { enrolledHost, host, network, role, tag } from "../testing/samples.ts";
import { failure, page, transport, type Transport } from "../testing/transport.ts";
import { HostsPage } from "./hosts-page.tsx";
import { savedViews } from "./saved-views.ts";

beforeEach(signIn);

const idOf = (name: string) =>
  `host-${name
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, "")
    .padEnd(26, "A")}`;
const named = (name: string, more: Partial<HostV2> = {}): HostV2 => ({
  ...enrolledHost,
  id: idOf(name),
  name,
  ...more,
});
const staging = { ...network, id: `network-${"B".repeat(26)}`, name: "Staging" };
const web = named("web", { roleID: role.id, tags: ["env:prod", "site:fra", "team:web"] });
const db = named("db", { networkID: staging.id });
const cache = named("cache");

function listed(hosts: HostV2[] = [web, db, cache]): Transport {
  return transport()
    .on(listHostsV2, () => page(hosts))
    .on(listDeviceRequests, () => [])
    .on(listNetworks, () => page([network, staging]))
    .on(listRoles, () => page([role]))
    .on(listTags, () => page([tag]));
}

function open(at = "/hosts") {
  return renderRoutes(
    [
      ...["/hosts", "/lighthouses", "/relays"].map((path) => ({ path, element: <HostsPage /> })),
      { path: "*", element: <p>Elsewhere</p> },
    ],
    at,
  );
}
const row = async (name: string) => (await screen.findByRole("link", { name })).closest("tr")!;
const queries = (api: Transport) => api.calls(listHostsV2).map(({ query }) => query);
const lastQuery = (api: Transport) => queries(api).at(-1);

it("lists the hosts with their count and status [S2.7]", async () => {
  const api = listed();
  open();
  const cells = within(await row("web"));
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
  expect(queries(api)[0]).toEqual({
    includeCounts: "true",
    pageSize: "25",
    sort: "name",
    "filter.isLighthouse": "false",
    "filter.isRelay": "false",
  });
});

it.each([
  ["/lighthouses", "Lighthouses", { "filter.isLighthouse": "true", "filter.isRelay": "false" }],
  ["/relays", "Relays", { "filter.isLighthouse": "false", "filter.isRelay": "true" }],
])("lists the hosts of one kind at %s [S2.8] [S2.9]", async (path, title, kind) => {
  const api = listed([named("gate", { isLighthouse: path === "/lighthouses", isRelay: path === "/relays" })]);
  open(path);
  expect((await screen.findByRole("link", { name: "gate" })).getAttribute("href")).toMatch(path);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(`${title} · 1`);
  expect(queries(api)[0]).toMatchObject(kind);
});

it("counts the matches of a search after showing them, and marks a count that isn't exact", async () => {
  let count = () => {};
  const counted = new Promise<void>((resolve) => (count = resolve));
  const api = listed().on(listHostsV2, async ({ query }) => {
    if (query.includeCounts !== "true") return page([web], { totalCount: undefined, hasNextPage: true });
    await counted;
    return page([web], { totalCount: 10_000, totalCountCapped: true, hasNextPage: true });
  });
  open("/hosts?filter.search=w");
  expect(await row("web")).toBeDefined();
  const heading = screen.getByRole("heading", { level: 1 });
  expect(heading.textContent).toBe("Hosts");
  count();
  await waitFor(() => expect(heading.textContent).toBe("Hosts · 10,000+"));
  expect(screen.getByText("1–1 of 10,000+")).toBeDefined();
  expect(queries(api).map(({ includeCounts, pageSize }) => [includeCounts, pageSize])).toEqual([
    ["false", "25"],
    ["true", "1"],
  ]);
});

it("shows no count if the matches of a search can't be counted", async () => {
  listed().on(listHostsV2, ({ query }) => {
    if (!("filter.search" in query)) return page([web], { totalCount: 3 });
    if (query.includeCounts === "true") throw failure("ERR_NOT_FOUND");
    return page([web], { totalCount: undefined, hasNextPage: true });
  });
  const { user } = open();
  const heading = () => screen.getByRole("heading", { level: 1 }).textContent;
  await waitFor(() => expect(heading()).toBe("Hosts · 3"));
  await user.type(screen.getByRole("searchbox"), "w");
  await waitFor(() => expect(heading()).toBe("Hosts"));
});

it("doesn't request a count if all matches are on the page", async () => {
  const api = listed([web]).on(listHostsV2, ({ query }) =>
    page(query.includeCounts === "true" ? [web, web] : [web]),
  );
  open("/hosts?filter.search=w");
  expect(await row("web")).toBeDefined();
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Hosts · 1");
  expect(queries(api)).toHaveLength(1);
});

it("shows the loading, empty and error states", async () => {
  const api = listed().on(listHostsV2, () => new Promise<never>(() => undefined));
  const first = open();
  expect(await screen.findByText("Loading Hosts")).toBeDefined();
  first.unmount();
  api.on(listHostsV2, () => page([]));
  const second = open("/relays");
  expect(await screen.findByRole("heading", { name: "No relays yet" })).toBeDefined();
  expect(screen.getByRole("link", { name: "Add relay" }).getAttribute("href")).toBe("/relays/add");
  expect(screen.queryByRole("searchbox")).toBeNull();
  second.unmount();
  api.on(listHostsV2, () => {
    throw failure("ERR_INTERNAL_SERVER_ERROR", {}, "request-9");
  });
  const { user } = open("/lighthouses");
  expect((await screen.findByRole("alert")).textContent).toContain("request-9");
  api.on(listHostsV2, () => page([web]));
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await row("web")).toBeDefined();
});

it("searches while typing and says when nothing matches", async () => {
  const api = listed();
  const { user, path } = open();
  await row("web");
  api.on(listHostsV2, () => page([]));
  await user.type(screen.getByRole("searchbox"), "zebra");
  expect(await screen.findByRole("heading", { name: "Nothing matches" })).toBeDefined();
  expect(path()).toBe("/hosts?filter.search=zebra");
  expect(lastQuery(api)).toMatchObject({ "filter.search": "zebra" });
  api.on(listHostsV2, () => page([web]));
  await user.click(screen.getAllByRole("button", { name: "Clear" }).at(-1)!);
  expect(await row("web")).toBeDefined();
  expect(path()).toBe("/hosts");
});

it("includes and labels lighthouses and relays when opened from the host count of a role", async () => {
  const beacon = named("beacon", { isLighthouse: true, roleID: role.id });
  const api = listed([web, beacon]);
  const { user, path } = open(`/hosts?filter.roleID=${role.id}&filter.kind=any`);
  expect(within(await row("beacon")).getByText("Lighthouse · Production")).toBeDefined();
  expect(within(await row("web")).getByText("Production")).toBeDefined();
  expect(lastQuery(api)).not.toHaveProperty("filter.isLighthouse");
  expect(lastQuery(api)).not.toHaveProperty("filter.isRelay");
  expect(lastQuery(api)).toMatchObject({ "filter.roleID": role.id });
  await user.click(
    screen.getByRole("button", { name: "Remove filter Type: Including lighthouses and relays" }),
  );
  expect(path()).toBe(`/hosts?filter.roleID=${role.id}`);
  await waitFor(() =>
    expect(lastQuery(api)).toMatchObject({ "filter.isLighthouse": "false", "filter.isRelay": "false" }),
  );
});

it("filters by chips that are kept in the URL and removed one by one", async () => {
  const api = listed();
  const { user, path } = open(`/hosts?filter.roleID=${role.id}`);
  expect(await screen.findByRole("button", { name: `Role: ${role.name}` })).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Status" }));
  await user.click(await screen.findByRole("option", { name: "Offline" }));
  expect(path()).toBe(`/hosts?filter.roleID=${role.id}&filter.status=offline`);
  await waitFor(() =>
    expect(lastQuery(api)).toMatchObject({ "filter.status": "offline", "filter.roleID": role.id }),
  );
  await user.click(screen.getByRole("button", { name: "Remove filter Status: Offline" }));
  expect(path()).toBe(`/hosts?filter.roleID=${role.id}`);
});

it("filters by several tags, found on the server, by keyboard alone", async () => {
  const api = listed();
  const { user, path } = open("/hosts?filter.tag=site%3Afra");
  await row("web");
  act(() => screen.getByRole("button", { name: "Tag: site:fra" }).focus());
  await user.keyboard("{Enter}");
  await screen.findByRole("option", { name: tag.name });
  await user.keyboard("env");
  await waitFor(() => expect(api.calls(listTags).at(-1)?.query["filter.search"]).toBe("env"));
  await user.keyboard("{Enter}");
  expect(path()).toBe("/hosts?filter.tag=site%3Afra&filter.tag=env%3Aprod");
  await user.keyboard("{Escape}");
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Tag: site:fra, env:prod" }));
});

it("filters by update, platform and block from the menu of further filters", async () => {
  const api = listed();
  const { user, path } = open();
  await row("web");
  await user.click(screen.getByRole("button", { name: "More" }));
  await user.click(await screen.findByRole("menuitemcheckbox", { name: "Update available" }));
  await user.click(screen.getByRole("menuitemcheckbox", { name: "Phone" }));
  await user.click(screen.getByRole("menuitemcheckbox", { name: "Not blocked" }));
  expect(lastQuery(api)).toMatchObject({
    "filter.metadata.updateAvailable": "true",
    "filter.metadata.platform": "mobile",
    "filter.isBlocked": "false",
  });
  await user.keyboard("{Escape}");
  await user.click(screen.getByRole("button", { name: "Remove filter Agent: Update available" }));
  expect(path()).toBe("/hosts?filter.metadata.platform=mobile&filter.isBlocked=false");
});

it("remembers the network for this session, until it is removed [S2.26]", async () => {
  listed();
  const { user, unmount } = open(`/hosts?filter.networkID=${staging.id}`);
  expect(await screen.findByRole("button", { name: "Network: Staging" })).toBeDefined();
  expect(sessionStorage.getItem("filterNetworkId")).toBe(staging.id);
  unmount();
  open("/relays");
  await row("web");
  expect(sessionStorage.getItem("filterNetworkId")).toBe(staging.id);
  await user.click(screen.getByRole("button", { name: "Network" }));
  await user.click(await screen.findByRole("option", { name: "Production" }));
  expect(sessionStorage.getItem("filterNetworkId")).toBe(network.id);
  await user.click(screen.getByRole("button", { name: "Remove filter Network: Production" }));
  expect(sessionStorage.getItem("filterNetworkId")).toBeNull();
});

it("sorts by the clicked header and reverses the order", async () => {
  const api = listed();
  const { user, path } = open();
  await row("web");
  await user.click(screen.getByRole("button", { name: "Last seen" }));
  expect(path()).toBe("/hosts?sort=lastSeenAt");
  await user.click(screen.getByRole("button", { name: "Last seen" }));
  expect(path()).toBe("/hosts?sort=-lastSeenAt");
  await waitFor(() => expect(lastQuery(api)).toMatchObject({ sort: "-lastSeenAt" }));
  expect(screen.getByRole("columnheader", { name: "Last seen" }).getAttribute("aria-sort")).toBe(
    "descending",
  );
});

it("drops an invalid cursor", async () => {
  listed().on(listHostsV2, ({ query }) => {
    if (query.cursor) throw failure("ERR_INVALID_VALUE", { path: "cursor" });
    return page([web]);
  });
  const { path } = open("/hosts?cursor=stale&sort=-name");
  expect(await row("web")).toBeDefined();
  expect(path()).toBe("/hosts?sort=-name");
});

it("shows the chosen columns and remembers them", async () => {
  listed();
  const { user, unmount } = open();
  await row("web");
  await user.click(screen.getByRole("button", { name: "Columns" }));
  await user.click(await screen.findByRole("menuitemcheckbox", { name: "Tags" }));
  await user.click(screen.getByRole("menuitemcheckbox", { name: "Created" }));
  const headers = () => screen.getAllByRole("columnheader").map((header) => header.textContent);
  expect(headers()).toContain("Created");
  expect(headers()).not.toContain("Tags");
  unmount();
  open();
  await row("web");
  expect(headers()).toContain("Created");
  expect(headers()).not.toContain("Tags");
});

it("saves a view by name and shows it again", async () => {
  listed();
  const { user, path } = open("/hosts?filter.status=offline&sort=-name&cursor=x");
  await row("web");
  await user.click(screen.getByRole("button", { name: "Views" }));
  await user.click(await screen.findByRole("menuitem", { name: "Save this view…" }));
  await user.type(await screen.findByRole("textbox", { name: "Name" }), "Lost{Enter}");
  await user.click(await screen.findByRole("button", { name: "Lost" }));
  await user.click(await screen.findByRole("menuitem", { name: "All hosts" }));
  expect(path()).toBe("/hosts");
  await user.click(screen.getByRole("button", { name: "Views" }));
  await user.click(await screen.findByRole("menuitem", { name: "Lost" }));
  expect(path()).toBe("/hosts?filter.status=offline&sort=-name");
});

it("renames a view, deletes it and restores it", async () => {
  const columns = ["status", "address", "role", "tags", "lastSeen", "version"];
  savedViews.host.write([{ name: "Lost", query: "filter.status=offline", columns }]);
  listed();
  const { user } = open("/hosts?filter.status=offline");
  await user.click(await screen.findByRole("button", { name: "Lost" }));
  await user.click(await screen.findByRole("menuitem", { name: "Rename Lost…" }));
  const input = await screen.findByRole("textbox", { name: "Name" });
  await user.clear(input);
  await user.type(input, "Gone{Enter}");
  await user.click(await screen.findByRole("button", { name: "Gone" }));
  await user.click(await screen.findByRole("menuitem", { name: "Delete Gone" }));
  expect(screen.getByRole("button", { name: "Views" })).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Undo" }));
  expect(await screen.findByRole("button", { name: "Gone" })).toBeDefined();
});

it("changes the selected hosts in the background and reports the result", async () => {
  const job: Job = { id: `job-${"A".repeat(26)}`, state: "running", done: 1, total: 2, errors: [] };
  const api = listed()
    .on(bulkHosts, () => ({ jobID: job.id }))
    .on(getJob, () => job);
  const { user } = open();
  await row("web");
  expect(screen.queryByRole("toolbar")).toBeNull();
  await user.click(screen.getByRole("checkbox", { name: "Select web" }));
  await user.click(screen.getByRole("checkbox", { name: "Select db" }));
  const bar = within(await screen.findByRole("toolbar", { name: "Selected rows" }));
  expect(bar.getAllByText("2 selected")).not.toHaveLength(0);
  await user.click(bar.getByRole("button", { name: "Add tags" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Add tags to 2 hosts" }));
  await user.click(dialog.getByRole("combobox", { name: "Tags" }));
  await user.click(await screen.findByRole("option", { name: tag.name }));
  await user.click(dialog.getByRole("button", { name: "Add tags" }));
  expect(await screen.findByText(/Adding tags… 1 of 2/)).toBeDefined();
  expect(api.calls(bulkHosts)[0]?.body).toEqual({
    action: "addTags",
    ids: [web.id, db.id],
    tags: [tag.name],
  });
  expect(screen.queryByRole("toolbar")).toBeNull();

  api.on(getJob, () => ({ ...job, state: "done" as const, done: 2 }));
  expect(await screen.findByText("Tags added to 2 hosts.")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Dismiss" }));
  expect(screen.queryByText("Tags added to 2 hosts.")).toBeNull();
});

it("blocks every match on all pages after confirmation, and lists errors", async () => {
  const job: Job = {
    id: `job-${"A".repeat(26)}`,
    state: "done",
    done: 1204,
    total: 1204,
    errors: [{ id: web.id, code: "ERR_NOT_FOUND", message: "not found" }],
  };
  const api = listed()
    .on(listHostsV2, () => page([web, db], { totalCount: 1204, hasNextPage: true, nextCursor: "next" }))
    .on(bulkHosts, () => ({ jobID: job.id }))
    .on(getJob, () => job);
  const { user } = open("/hosts?filter.status=offline&filter.search=fra");
  await row("web");
  await user.click(screen.getByRole("checkbox", { name: "Select every row on this page" }));
  await user.click(screen.getByRole("button", { name: "Select all 1,204 matching" }));
  await user.click(screen.getByRole("button", { name: "Block" }));
  const dialog = within(await screen.findByRole("alertdialog", { name: "Block 1,204 hosts?" }));
  const act = dialog.getByRole<HTMLButtonElement>("button", { name: "Block" });
  expect(act.disabled).toBe(true);
  await user.type(dialog.getByRole("textbox"), "block 1,204 hosts");
  await user.click(act);
  expect(await screen.findByText(/some hosts weren’t changed/)).toBeDefined();
  expect(screen.getByRole("link", { name: web.id, hidden: true })).toBeDefined();
  expect(api.calls(bulkHosts)[0]?.body).toEqual({
    action: "block",
    filter: { isLighthouse: false, isRelay: false, status: "offline", search: "fra" },
  });
});

it("clears the selection when the list changes", async () => {
  listed();
  const { user } = open();
  await row("web");
  await user.click(screen.getByRole("checkbox", { name: "Select web" }));
  await user.click(screen.getByRole("button", { name: "Address" }));
  expect(screen.getByRole("toolbar")).toBeDefined();
  await user.type(screen.getByRole("searchbox"), "d");
  expect(screen.queryByRole("toolbar")).toBeNull();
});

it("supports the keys j, k, x, e, c and /", async () => {
  listed();
  const stop = listenForShortcuts();
  const { user, path, router } = open();
  await row("web");
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
  await row("web");
  await user.keyboard("c");
  expect(path()).toBe("/relays/add");
  stop();
});

it("offers actions that fit the host in its row's menu", async () => {
  listed([
    named("free", { metadata: host.metadata }),
    named("cut", { isBlocked: true, metadata: { ...enrolledHost.metadata, statuses: ["blocked"] } }),
  ]);
  const { user } = open();
  await user.click(within(await row("free")).getByRole("button", { name: "Actions for free" }));
  const items = (await screen.findAllByRole("menuitem")).map((item) => item.textContent);
  expect(items).toEqual(["Edit", "Debug", "Enroll", "Block…", "Delete…"]);
  await user.keyboard("{Escape}");
  await user.click(within(await row("cut")).getByRole("button", { name: "Actions for cut" }));
  expect(await screen.findByRole("menuitem", { name: "Unblock…" })).toBeDefined();
  expect(screen.queryByRole("menuitem", { name: "Enroll" })).toBeNull();
});

it("shows unusual names unchanged", async () => {
  const odd = `<script>alert(1)</script> ${"x".repeat(200)} שלום 🗼`;
  listed([named("odd", { name: odd })]);
  open();
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
  const api = listed().on(listDeviceRequests, () => [request, { ...request, id: "devicerequest-2" }]);
  const { router } = open();
  expect(await screen.findByText("2 devices are waiting for approval.")).toBeDefined();
  expect(screen.getByRole("link", { name: "Review" }).getAttribute("href")).toBe("/settings/sso");
  const callCount = api.calls(listDeviceRequests).length;
  await act(() => router.navigate("/relays"));
  await screen.findByRole("heading", { name: /^Relays/ });
  expect(screen.queryByText(/waiting for approval/)).toBeNull();
  expect(api.calls(listDeviceRequests)).toHaveLength(callCount);
});
