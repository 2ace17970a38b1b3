import {
  getHostState,
  getNetworkMap,
  listNetworksV2,
  listRoles,
  listTags,
  MAP_HOSTS_MAX,
  type HostState,
  type NetworkMap,
} from "@lightkeeper/contract";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { invalidateNoun } from "../lib/query.ts";
import { createNetworkMap, mapHostID } from "../testing/network-maps.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { network, role, tag } from "../testing/samples.ts";
import { failure, page, transport, type Transport } from "../testing/transport.ts";
import { MapPage } from "./map-page.tsx";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);
// jsdom has no canvas and no layout. What is drawn is tested as SVG and in Chromium.
beforeEach(() => {
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
  vi.spyOn(HTMLCanvasElement.prototype, "clientWidth", "get").mockReturnValue(800);
  vi.spyOn(HTMLCanvasElement.prototype, "clientHeight", "get").mockReturnValue(600);
});
afterEach(() => vi.restoreAllMocks());

const staging = { ...network, id: `network-${"B".repeat(26)}`, name: "Staging" };

const unknown = { vpnIp: "10.0.0.9", path: null, remoteAddress: null, relays: [], handshakeAt: null };
const state: HostState = {
  hostID: mapHostID(6),
  config: "",
  intendedHash: "0",
  runningHash: "0",
  runningConfig: null,
  isDrifted: false,
  reportedAt: null,
  appliedAt: null,
  error: null,
  nebulaVersion: null,
  certificate: null,
  tunnels: [
    { ...unknown, hostID: mapHostID(9), latencyMs: 11.7 },
    { ...unknown, latencyMs: null },
  ],
  system: null,
  publicEndpoints: [],
  rules: [],
  routesServed: [],
  routesUsed: [],
  omitted: [],
  wider: [],
};

function serve(map: NetworkMap | (() => NetworkMap)): Transport {
  return transport()
    .on(getNetworkMap, () => (typeof map === "function" ? map() : map))
    .on(getHostState, () => state)
    .on(listNetworksV2, () => page([network, staging]))
    .on(listRoles, () => page([role]))
    .on(listTags, () => page([tag]));
}

const open = (query = "") => renderPage(<MapPage />, { route: "/hosts/map", at: `/hosts/map${query}` });
const findMap = () => screen.findByRole("application");
const panel = () => within(screen.getByRole("complementary", { name: "Selected host" }));
const percent = () => Number.parseInt(screen.getByText(/^\d+%/).textContent, 10);
const announced = () => screen.getAllByRole("status").map(({ textContent }) => textContent);

describe("the map", () => {
  it("has a name, a legend, counts and a title", async () => {
    serve(createNetworkMap({ hosts: 40 }));
    open();
    expect((await findMap()).getAttribute("aria-label")).toBe("Map of Production, 40 hosts in 4 sites");
    const legend = within(screen.getByRole("list", { name: "Legend" }));
    expect(legend.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
      "Online",
      "Offline",
      "Not enrolled",
      "Blocked",
      "Out of sync",
      "Direct",
      "Relayed",
      "Route",
    ]);
    expect(screen.getByText("4 sites · 20 tunnels · 19 direct, 1 relayed")).toBeDefined();
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Hosts · 40");
    expect(document.title).toBe("Map - Lightkeeper");
    expect(screen.getByRole("link", { name: "List" }).getAttribute("href")).toBe("/hosts");
  });

  it("is of the network in the URL, grouped by role or by a tag key", async () => {
    const api = serve(createNetworkMap({ hosts: 40 }));
    const { user, path } = open(`?filter.networkID=${staging.id}`);
    expect((await findMap()).getAttribute("aria-label")).toContain("Map of Staging");
    expect(api.calls(getNetworkMap)[0]).toMatchObject({ params: { networkID: staging.id } });
    await user.click(screen.getByRole("button", { name: "Group by: site:" }));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "Role" }));
    await waitFor(() => expect(path()).toContain("group=role"));
    expect((await findMap()).getAttribute("aria-label")).toContain("40 hosts in 2 roles");
  });

  it("shows only direct or relayed tunnels", async () => {
    serve(createNetworkMap({ hosts: 40 }));
    const { user, path } = open();
    await findMap();
    await user.click(screen.getByRole("button", { name: "Tunnels: All" }));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "Relayed" }));
    await waitFor(() => expect(path()).toContain("tunnels=relayed"));
    expect(screen.getByText("4 sites · 1 tunnel · 0 direct, 1 relayed")).toBeDefined();
  });

  it("says that the network has no hosts", async () => {
    serve(createNetworkMap({ hosts: 0 }));
    open();
    expect(await screen.findByRole("heading", { name: "No hosts yet" })).toBeDefined();
  });

  it("says that there is no network", async () => {
    serve(createNetworkMap({ hosts: 0 })).on(listNetworksV2, () => page([]));
    open();
    expect(await screen.findByRole("heading", { name: "No networks yet" })).toBeDefined();
  });

  it("says that it couldn't be loaded, and is loaded again", async () => {
    let isDown = true;
    serve(createNetworkMap({ hosts: 40 })).on(getNetworkMap, () => {
      if (isDown) throw failure("ERR_UNAVAILABLE");
      return createNetworkMap({ hosts: 40 });
    });
    const { user } = open();
    const retry = await screen.findByRole("button", { name: /again|retry/i });
    isDown = false;
    await user.click(retry);
    expect(await findMap()).toBeDefined();
  });

  it("shows only groups for a network with too many hosts", async () => {
    const counts = {
      hosts: 30_000,
      lighthouses: 2,
      relays: 0,
      online: 29_000,
      offline: 1000,
      neverEnrolled: 0,
      blocked: 0,
      drifted: 0,
    };
    const part = { ...counts, hosts: 20_000, online: 19_500, offline: 500, lighthouses: 1 };
    const overview = { roles: [{ roleID: role.id, counts }], tags: [{ tag: "site:fra", counts: part }] };
    serve({ ...createNetworkMap({ hosts: 0 }), hostCount: MAP_HOSTS_MAX + 10_000, overview });
    open("?view=table");
    const table = await screen.findByRole("table", { name: "Groups on the map" });
    expect(
      within(table)
        .getAllByRole("row")
        .map(({ textContent }) => textContent),
    ).toEqual([
      "GroupHostsStatuses",
      "site:fra20,0001 lighthouse, 500 offline",
      "No site10,0001 lighthouse, 500 offline",
    ]);
    expect(screen.getByText(/more than 20,000 hosts, so the map shows only groups/)).toBeDefined();
  });
});

describe("keys", () => {
  it("move between hosts and groups, select, open and clear", async () => {
    serve(createNetworkMap({ hosts: 40 }));
    const { user, path } = open();
    (await findMap()).focus();
    await waitFor(() => expect(announced().join()).toContain("site:fra"));
    await user.keyboard("{ArrowRight}");
    const first = announced().join();
    await user.keyboard("{ArrowRight}");
    await waitFor(() => expect(announced().join()).not.toBe(first));
    await user.keyboard("]");
    await waitFor(() => expect(announced().join()).toContain("site:lon"));
    await user.keyboard("{Enter}");
    await waitFor(() => expect(path()).toContain("host=host-"));
    await user.keyboard("{Escape}");
    await waitFor(() => expect(path()).not.toContain("host="));
    await user.keyboard("{Enter}");
    await waitFor(() => expect(path()).toContain("host=host-"));
    await user.keyboard("{Enter}");
    expect(await screen.findByText("Elsewhere")).toBeDefined();
    expect(path()).toMatch(/^\/(hosts|relays|lighthouses)\/host-/);
  });

  it("collapse and expand the group, which is in the URL", async () => {
    serve(createNetworkMap({ hosts: 40 }));
    const { user, path } = open();
    (await findMap()).focus();
    await user.keyboard("{ArrowRight} ");
    await waitFor(() => expect(path()).toContain("toggle=site%3Afra"));
    await waitFor(() => expect(announced().join()).toMatch(/site:fra, 10 hosts, collapsed/));
    await user.keyboard(" ");
    await waitFor(() => expect(path()).not.toContain("toggle"));
  });

  it("zoom and fit, which is in the URL", async () => {
    serve(createNetworkMap({ hosts: 40 }));
    const { user, path } = open();
    (await findMap()).focus();
    const fitted = percent();
    await user.keyboard("+");
    await waitFor(() => expect(path()).toMatch(/at=[\d.%C-]+/));
    expect(percent()).toBeCloseTo(fitted * 1.4, -1);
    await user.keyboard("0");
    await waitFor(() => expect(path()).not.toContain("at="));
    expect(percent()).toBe(fitted);
  });
});

describe("the selected host", () => {
  const withTunnels = () => createNetworkMap({ hosts: 40 });

  it("is shown with its state, tunnels and routes", async () => {
    serve(withTunnels());
    open(`?host=${mapHostID(6)}`);
    await findMap();
    expect(panel().getByRole("heading", { level: 2, name: "host-006" })).toBeDefined();
    expect(panel().getByText("Online")).toBeDefined();
    expect(await panel().findByText("12 ms")).toBeDefined();
    expect(panel().getByText("10.0.0.7")).toBeDefined();
    expect(panel().getByRole("heading", { name: "Tunnels 2 · 1 direct, 1 relayed" })).toBeDefined();
    expect(panel().getByText("Relayed via host-001")).toBeDefined();
    expect(panel().getByRole("link", { name: "Open host" }).getAttribute("href")).toBe(
      `/hosts/${mapHostID(6)}`,
    );
    expect(panel().getByRole("link", { name: "Check access" }).getAttribute("href")).toContain(mapHostID(6));
  });

  it("leads to the hosts at the other ends, and closes", async () => {
    serve(withTunnels());
    const { user, path } = open(`?host=${mapHostID(6)}`);
    await findMap();
    await user.click(panel().getByRole("button", { name: "host-009" }));
    await waitFor(() => expect(path()).toContain(mapHostID(9)));
    await user.click(panel().getByRole("button", { name: "Close" }));
    await waitFor(() => expect(screen.queryByRole("complementary", { name: "Selected host" })).toBeNull());
    expect(document.activeElement).toBe(await findMap());
  });

  it("shows a router's subnets, and what isn't reported", async () => {
    const map = withTunnels();
    serve({ ...map, notReporting: [2], tunnels: { ...map.tunnels, direct: { first: [], second: [] } } });
    open(`?host=${mapHostID(2)}`);
    await findMap();
    expect(panel().getByRole("link", { name: "10.9.0.0/16" })).toBeDefined();
    expect(panel().getByRole("heading", { name: "Tunnels Not reported" })).toBeDefined();
  });
});

describe("the search", () => {
  it("counts matches, and Enter selects the first one", async () => {
    serve(createNetworkMap({ hosts: 40 }));
    const { user, path } = open();
    await findMap();
    await user.type(screen.getByRole("searchbox"), "host-00");
    await waitFor(() => expect(screen.getByText(/^10 matches · /)).toBeDefined());
    await user.keyboard("{Enter}");
    await waitFor(() => expect(path()).toContain("host=host-"));
    expect(path()).toContain("filter.search=host-00");
  });
});

describe("the table", () => {
  it("has every host with its status, group, tunnels and routes, in pages", async () => {
    serve(createNetworkMap({ hosts: 120 }));
    const { user, path } = open();
    await findMap();
    await user.click(screen.getByRole("link", { name: "View as table" }));
    const table = await screen.findByRole("table", { name: "Hosts on the map" });
    expect(path()).toContain("view=table");
    expect(within(table).getAllByRole("row")).toHaveLength(51);
    const row = within(table).getByRole("row", { name: /host-000/ });
    expect(row.textContent).toContain("Lighthouse");
    expect(row.textContent).toContain("1 direct");
    await user.click(screen.getByRole("button", { name: "Next" }));
    await waitFor(() => expect(screen.getByText(/51–100/)).toBeDefined());
    await user.type(screen.getByRole("searchbox"), "nothing like it");
    expect(await screen.findByText("No host matches your search.")).toBeDefined();
  });
});

it("is refreshed when hosts change, after a pause", async () => {
  let hosts = 40;
  const api = serve(() => createNetworkMap({ hosts }));
  open();
  await findMap();
  hosts = 41;
  const before = api.calls(getNetworkMap).length;
  await act(() => invalidateNoun("hosts"));
  await waitFor(() => expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Hosts · 41"), {
    timeout: 20_000,
  });
  expect(api.calls(getNetworkMap).length).toBe(before + 1);
});

it("zooms with buttons", async () => {
  serve(createNetworkMap({ hosts: 40 }));
  open();
  await findMap();
  const fitted = percent();
  fireEvent.click(screen.getByRole("button", { name: "Zoom in" }));
  await waitFor(() => expect(percent()).toBeGreaterThan(fitted));
  fireEvent.click(screen.getByRole("button", { name: "Fit to screen" }));
  await waitFor(() => expect(percent()).toBe(fitted));
});
