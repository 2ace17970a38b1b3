import {
  checkAccess,
  getAccessMatrix,
  listNetworksV2,
  listRoles,
  listTags,
  type AccessMatrix,
} from "@lightkeeper/contract";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { allowed, db, denied, matrix, router, web } from "../testing/access.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { network, role, tag } from "../testing/samples.ts";
import { failure, page, transport, type Transport } from "../testing/transport.ts";
import { MatrixPage } from "./matrix-page.tsx";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const staging = { ...network, id: `network-${"B".repeat(26)}`, name: "Staging" };

function served(answer: AccessMatrix = matrix): Transport {
  return transport()
    .on(getAccessMatrix, () => answer)
    .on(checkAccess, () => allowed)
    .on(listNetworksV2, () => page([network, staging]))
    .on(listRoles, () => page([role]))
    .on(listTags, () => page([tag]));
}

const open = (query = "") =>
  renderPage(<MatrixPage />, { route: "/access/matrix", at: `/access/matrix${query}` });
const grid = async () => within(await screen.findByRole("grid"));
const cell = async (name: string) => (await grid()).getByRole("gridcell", { name });
const panel = () => within(screen.getByRole("complementary", { name: "Selected access" }));
const WEB_TO_DB = "Web to Database · env:prod: TCP 5432 (PostgreSQL)";
const DB_TO_WEB = "Database · env:prod to Web: TCP 80 and 443, some hosts";

/** A network with as many groups as the server returns, each of which reaches every other one. */
function largeMatrix(size: number): AccessMatrix {
  const groups = Array.from({ length: size }, (_, index) => ({
    ...matrix.groups[0]!,
    hosts: [{ ...web, id: `host-${String(index).padStart(26, "0")}`, name: `web-${index}` }],
    tags: [`n:${index}`],
  }));
  const cells = groups.flatMap((_, source) =>
    groups.map((__, destination) => ({ source, destination, traffic: 1, isPartial: false })),
  );
  return { ...matrix, groups, groupCount: 512, subnets: [], cells };
}

it("shows which groups reach which others, and on which ports", async () => {
  served();
  open();
  expect((await cell(WEB_TO_DB)).dataset.text).toBe("5432");
  expect((await cell(DB_TO_WEB)).dataset.text).toBe("443\n+1");
  expect((await cell("No role to Web: ICMP (ping)")).dataset.text).toBe("·");
  expect((await cell("No role to 192.168.4.0/24: everything")).dataset.text).toBe("any");
  expect((await cell("Web to Web: denied")).dataset.text).toBeUndefined();
  const cells = await grid();
  expect(cells.getAllByRole("rowheader").map(({ textContent }) => textContent)).toEqual([
    "Web1,740",
    "Databaseenv:prod372",
    "No role3",
  ]);
  expect(cells.getAllByRole("columnheader").map(({ textContent }) => textContent)).toEqual([
    "Source ↓ Destination →",
    "Web",
    "Databaseenv:prod",
    "No role",
    "192.168.4.0/24",
  ]);
  expect(screen.getByText(/^2,115 hosts in 3 groups with the same role/)).toBeDefined();
  expect(document.title).toBe("Access matrix - Lightkeeper");
});

describe("filters", () => {
  it("are sent to the server, and are in the URL", async () => {
    const api = served();
    const { user, path } = open(
      `?filter.networkID=${staging.id}&filter.port=22&filter.tag=env:prod&detail=roles`,
    );
    await grid();
    expect(api.calls(getAccessMatrix)[0]).toMatchObject({
      params: { networkID: staging.id },
      query: { detail: "roles", "filter.port": "22", "filter.tag": "env:prod" },
    });
    await user.type(screen.getByRole("searchbox"), "web");
    await waitFor(() => expect(path()).toContain("filter.search=web"));
    await waitFor(() =>
      expect(api.calls(getAccessMatrix).at(-1)?.query).toMatchObject({ "filter.search": "web" }),
    );
  });

  it("offer services and any typed port", async () => {
    const api = served();
    const { user, path } = open();
    await grid();
    await user.click(screen.getByRole("button", { name: "Port" }));
    await user.type(await screen.findByRole("combobox", { name: "Find a port" }), "8081");
    await user.click(await screen.findByRole("option", { name: "8081" }));
    await waitFor(() => expect(path()).toContain("filter.port=8081"));
    await waitFor(() =>
      expect(api.calls(getAccessMatrix).at(-1)?.query).toMatchObject({ "filter.port": "8081" }),
    );
  });

  it("change the detail", async () => {
    const api = served();
    const { user, path } = open();
    await grid();
    await user.click(screen.getByRole("button", { name: "Detail: Role and tags" }));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "Hosts" }));
    await waitFor(() => expect(path()).toContain("detail=hosts"));
    await waitFor(() => expect(api.calls(getAccessMatrix).at(-1)?.query).toMatchObject({ detail: "hosts" }));
  });

  it("say that nothing matches, and are cleared", async () => {
    served().on(getAccessMatrix, ({ query }) =>
      query["filter.search"] ? { ...matrix, groups: [], groupCount: 0, subnets: [], cells: [] } : matrix,
    );
    const { user } = open("?filter.search=zzz");
    expect(await screen.findByRole("heading", { name: "Nothing matches" })).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Clear" }));
    expect(await cell(WEB_TO_DB)).toBeDefined();
  });
});

describe("a cell", () => {
  it("is explained under the pointer", async () => {
    const api = served();
    const { user } = open();
    await user.hover(await cell(DB_TO_WEB));
    expect(panel().getByText(/^Allows/).textContent).toBe(
      "Allows TCP 80 and 443 for some of these hosts. Everything else is denied.",
    );
    expect(panel().getByText("647,280 pairs of hosts.")).toBeDefined();
    await user.hover(await cell("Web to Web: denied"));
    expect(panel().getByText(/^Denied/)).toBeDefined();
    expect(api.calls(checkAccess)).toEqual([]);
  });

  it("is pinned with its rules by a click, in the URL, and unpinned by Escape", async () => {
    const api = served();
    const { user, path } = open();
    await user.click(await cell(WEB_TO_DB));
    const rules = await screen.findByRole("list", { name: "Rules" });
    expect(within(rules).getByText(/^Allow /).textContent).toBe(
      "Allow TCP 5432 (PostgreSQL) from hosts with tag team:web",
    );
    expect(api.calls(checkAccess).map(({ body }) => body)).toEqual([
      { source: { hostID: web.id }, destination: { hostID: db.id }, protocol: "TCP", port: 5432 },
    ]);
    expect(decodeURIComponent(path())).toContain(`pin=${web.id}~${db.id}`);
    expect((await cell(WEB_TO_DB)).getAttribute("aria-selected")).toBe("true");
    // The pinned cell stays while the pointer moves on.
    await user.hover(await cell(DB_TO_WEB));
    expect(panel().getByText(/^Allows/).textContent).toContain("TCP 5432");
    (await cell(WEB_TO_DB)).focus();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(path()).toBe("/access/matrix"));
  });

  it("is pinned by the URL, and links to the check of two hosts", async () => {
    served();
    open(`?pin=${router.id}~192.168.4.0/24`);
    const link = await screen.findByRole("link", { name: "Check two hosts" });
    expect(link.getAttribute("href")).toBe(
      `/access?source=${router.id}&destination=192.168.4.1&protocol=TCP&port=1`,
    );
  });

  it("is reached with one Tab, arrow keys, Home and End, and opened with Enter", async () => {
    served();
    const { user, path } = open();
    const cells = await grid();
    expect(cells.getAllByRole("gridcell").filter(({ tabIndex }) => tabIndex === 0)).toHaveLength(1);
    (await cell("Web to Web: denied")).focus();
    const focused = () => document.activeElement?.getAttribute("aria-label");
    await user.keyboard("{ArrowRight}");
    await waitFor(() => expect(focused()).toBe(WEB_TO_DB));
    expect(panel().getByText(/^Allows/)).toBeDefined();
    await user.keyboard("{End}");
    await waitFor(() => expect(focused()).toBe("Web to 192.168.4.0/24: denied"));
    await user.keyboard("{ArrowRight}{ArrowDown}{Home}");
    await waitFor(() => expect(focused()).toBe(DB_TO_WEB));
    await user.keyboard("{Control>}{End}{/Control}");
    await waitFor(() => expect(focused()).toBe("No role to 192.168.4.0/24: everything"));
    await user.keyboard("{Control>}{Home}{/Control}{ArrowRight}{ArrowUp}");
    await waitFor(() => expect(focused()).toBe(WEB_TO_DB));
    expect(cells.getAllByRole("gridcell").filter(({ tabIndex }) => tabIndex === 0)).toHaveLength(1);
    await user.keyboard("{Enter}");
    await waitFor(() =>
      expect(path()).toBe(`/access?source=${web.id}&destination=${db.id}&protocol=TCP&port=5432`),
    );
  });

  it("shows the rules of other hosts if the first ones can’t connect", async () => {
    const blocked = { ...web, id: `host-${"B".repeat(26)}`, name: "web-00" };
    const [webGroup, ...others] = matrix.groups;
    const api = served({
      ...matrix,
      groups: [{ ...webGroup!, hosts: [blocked, web] }, ...others],
    }).on(checkAccess, ({ body }) =>
      "hostID" in body.source && body.source.hostID === web.id ? allowed : denied,
    );
    open(`?pin=${blocked.id}~${db.id}`);
    const rules = await screen.findByRole("list", { name: "Rules" });
    expect(within(rules).getAllByRole("listitem")).toHaveLength(1);
    expect(api.calls(checkAccess)).toHaveLength(2);
    expect(screen.getByRole("link", { name: "Check two hosts" }).getAttribute("href")).toContain(
      `source=${web.id}`,
    );
  });

  it("says that its rules couldn’t be loaded", async () => {
    served().on(checkAccess, () => Promise.reject(failure("ERR_UNAVAILABLE")));
    open(`?pin=${web.id}~${db.id}`);
    expect(await screen.findByText("The rules couldn’t be loaded.")).toBeDefined();
  });
});

describe("a large matrix", () => {
  it("draws the visible cells of each row as one picture, without ports", async () => {
    served(largeMatrix(300));
    open();
    const large = await screen.findByRole("grid");
    expect(large.getAttribute("aria-rowcount")).toBe("301");
    expect(screen.getByText(/Shows the first 300 of 512 rows/)).toBeDefined();
    const rows = [...large.querySelectorAll("[role=row] svg")];
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.length).toBeLessThan(100);
    const drawn = rows.map((row) => row.querySelector("path")?.getAttribute("d")?.split("z").length ?? 0);
    expect(Math.min(...drawn)).toBeGreaterThan(20);
    expect(Math.max(...drawn)).toBeLessThan(100);
    expect(large.querySelectorAll("*").length).toBeLessThan(1000);
    expect(
      [...large.querySelectorAll<HTMLElement>("[role=gridcell]")].map(({ dataset }) => dataset.text),
    ).toEqual([undefined]);
  });

  it("explains the cell under the pointer, and pins it by a click", async () => {
    served(largeMatrix(300));
    const { path } = open();
    const large = await screen.findByRole("grid");
    const header = { width: 200, height: 120 };
    const at = { clientX: header.width + 2.5 * 24, clientY: header.height + 4.5 * 24 };
    fireEvent.pointerMove(large, at);
    expect(panel().getByText("Web · n:4")).toBeDefined();
    expect(panel().getByText("Web · n:2")).toBeDefined();
    fireEvent.pointerMove(large, { clientX: header.width / 2, clientY: at.clientY });
    expect(panel().getByText(/^Point at a cell/)).toBeDefined();
    fireEvent.click(large, at);
    await waitFor(() => expect(decodeURIComponent(path())).toMatch(/pin=host-0+4~host-0+2$/));
    expect(large.querySelector("[aria-selected=true]")?.getAttribute("aria-label")).toMatch(
      /^Web · n:4 to Web · n:2: /,
    );
  });

  it("is reached with arrow keys", async () => {
    served(largeMatrix(300));
    const { user } = open();
    const large = await screen.findByRole("grid");
    large.querySelector<HTMLElement>("[role=gridcell]")!.focus();
    await user.keyboard("{ArrowDown}{ArrowRight}");
    await waitFor(() =>
      expect(document.activeElement?.getAttribute("aria-label")).toMatch(/^Web · n:1 to Web · n:1: /),
    );
  });
});

describe("the table", () => {
  it("has the same content as the grid", async () => {
    served();
    const { user, path } = open();
    await grid();
    await user.click(screen.getByRole("link", { name: "Table" }));
    expect(path()).toBe("/access/matrix?view=table");
    const rows = within(await screen.findByRole("table", { name: "Access" })).getAllByRole("row");
    expect(rows.map(({ textContent }) => textContent?.replace(/Why\?.*/, ""))).toEqual([
      "SourceDestinationAllowedCheck",
      "Web1,740 hostsDatabaseenv:prod · 372 hostsTCP 5432 (PostgreSQL)",
      "Databaseenv:prod · 372 hostsWeb1,740 hostsTCP 80 and 443, for some hosts",
      "No role3 hostsWeb1,740 hostsICMP (ping)",
      "No role3 hosts192.168.4.0/24Subneteverything",
    ]);
    expect(within(rows[1]!).getByRole("link").getAttribute("href")).toBe(
      `/access?source=${web.id}&destination=${db.id}&protocol=TCP&port=5432`,
    );
  });

  it("is shown on phones", async () => {
    vi.stubGlobal("matchMedia", () => Object.assign(new EventTarget(), { matches: true }));
    served();
    open();
    expect(await screen.findByRole("table", { name: "Access" })).toBeDefined();
    expect(screen.queryByRole("grid")).toBeNull();
  });

  it("has pages", async () => {
    served(largeMatrix(12));
    const { user } = open("?view=table");
    expect(await screen.findByText("1–50 of 144")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Next" }));
    expect(await screen.findByText("51–100 of 144")).toBeDefined();
  });

  it("says that everything is denied", async () => {
    served({ ...matrix, cells: [] });
    open("?view=table");
    expect(await screen.findByRole("heading", { name: "Everything is denied" })).toBeDefined();
  });
});

it("shows what failed and retries", async () => {
  const api = served().on(getAccessMatrix, () => Promise.reject(failure("ERR_UNAVAILABLE", {}, "request-9")));
  const { user } = open();
  expect((await screen.findByRole("alert")).textContent).toContain("request-9");
  api.on(getAccessMatrix, () => matrix);
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await cell(WEB_TO_DB)).toBeDefined();
});

it("says what to do without hosts", async () => {
  served({ ...matrix, groups: [], groupCount: 0, subnets: [], cells: [] });
  open();
  expect(await screen.findByRole("heading", { name: "No hosts yet" })).toBeDefined();
});

it("says what to do without networks", async () => {
  served().on(listNetworksV2, () => page([]));
  open();
  expect(await screen.findByRole("heading", { name: "No networks yet" })).toBeDefined();
  expect(screen.getByRole("link", { name: "Add network" }).getAttribute("href")).toBe(
    "/settings/networks/add",
  );
});
