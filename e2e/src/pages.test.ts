/** Every page of hosts, roles, routes and tags by its URL, and redirects from URLs of the wrong kind. */
import { blockHostV2 } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { openPage } from "./open-page.ts";
import { button, expectPath, expectTitle, heading, link, PATIENT, rowOf } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let fleet: Fleet;
let page: Page;

beforeAll(async () => {
  const account = await createAccount(server);
  fleet = await createFleet(account.call);
  await account.call(blockHostV2, { params: { hostID: fleet.boats[1]!.id } });
  ({ page } = await visit({ account }));
});

const boat = () => fleet.boats[0]!.id;
const blocked = () => fleet.boats[1]!.id;

interface PageSpec {
  what: string;
  /** A function, because the fleet is created later. */
  path: () => string;
  name: string;
  title: string;
}

const at = (what: string, path: () => string, name: string, title = name): PageSpec => ({
  what,
  path,
  name,
  title,
});

const pages: readonly PageSpec[] = [
  at("hosts", () => "/hosts", "Hosts · 4", "Hosts"),
  at("add a host", () => "/hosts/add", "Add host"),
  at("add several hosts", () => "/hosts/add-several", "Add several hosts"),
  at("a host", () => `/hosts/${boat()}`, "boat-01"),
  at("a host's config", () => `/hosts/${boat()}/config`, "boat-01"),
  at("a host's activity", () => `/hosts/${boat()}/activity`, "boat-01"),
  at("a host's debugging", () => `/hosts/${boat()}/debug`, "boat-01", "Debug boat-01"),
  at("editing a host", () => `/hosts/${boat()}/edit`, "Edit boat-01"),
  at("enrolling a host", () => `/hosts/${boat()}/enroll`, "Enroll boat-01"),
  at("unblocking a host", () => `/hosts/${blocked()}/unblock`, "Unblock boat-02"),
  at("lighthouses", () => "/lighthouses", "Lighthouses · 1", "Lighthouses"),
  at("add a lighthouse", () => "/lighthouses/add", "Add lighthouse"),
  at("a lighthouse", () => `/lighthouses/${fleet.lighthouse.id}`, "beacon"),
  at("a lighthouse's debugging", () => `/lighthouses/${fleet.lighthouse.id}/debug`, "beacon", "Debug beacon"),
  at("editing a lighthouse", () => `/lighthouses/${fleet.lighthouse.id}/edit`, "Edit beacon"),
  at("enrolling a lighthouse", () => `/lighthouses/${fleet.lighthouse.id}/enroll`, "Enroll beacon"),
  at("relays", () => "/relays", "Relays · 1", "Relays"),
  at("add a relay", () => "/relays/add", "Add relay"),
  at("a relay", () => `/relays/${fleet.relay.id}`, "buoy"),
  at("a relay's debugging", () => `/relays/${fleet.relay.id}/debug`, "buoy", "Debug buoy"),
  at("editing a relay", () => `/relays/${fleet.relay.id}/edit`, "Edit buoy"),
  at("enrolling a relay", () => `/relays/${fleet.relay.id}/enroll`, "Enroll buoy"),
  at("roles", () => "/roles", "Roles · 3", "Roles"),
  at("add a role", () => "/roles/add", "Add role"),
  at("a copy of a role", () => `/roles/add?copy=${fleet.ferry.id}`, "Add role"),
  at("a role", () => `/roles/${fleet.ferry.id}`, "Edit Ferry"),
  at("routes", () => "/routes", "Routes · 1", "Routes"),
  at("add a route", () => "/routes/add", "Add route"),
  at("a route", () => `/routes/${fleet.route.id}`, "Edit Canal"),
  at("tags", () => "/tags", "Tags · 3", "Tags"),
  at("add a tag", () => "/tags/add", "Add tag"),
  at("reordering tags", () => "/tags/reorder", "Reorder tags"),
  at("a tag", () => "/tags/pier:east", "Edit pier:east"),
];

async function expectPage(path: string, name: string, title: string): Promise<void> {
  await heading(page, name).waitFor();
  await expectTitle(page, title);
  await expectPath(page, path);
}

describe("a URL", () => {
  it.each(pages)(
    "opens a page with its title, directly and by navigation: $what [S1.5] [S2.7] [S2.8] [S2.9] [S2.11] [S2.12] [S2.13]",
    async ({ path, name, title }) => {
      const answer = await page.goto(path());
      expect(answer?.status()).toBe(200);
      await expectPage(path(), name, title);
      await openPage(page, path());
      await expectPage(path(), name, title);
    },
  );

  it("can be reached with Back and Forward", async () => {
    const visited = pages.slice(0, 8);
    for (const { path, name } of visited) {
      await page.goto(path());
      await heading(page, name).waitFor();
    }
    for (const { path, name, title } of visited.slice(0, -1).reverse()) {
      await page.goBack();
      await expectPage(path(), name, title);
    }
    for (const { path, name, title } of visited.slice(1)) {
      await page.goForward();
      await expectPage(path(), name, title);
    }
  });

  it("changes with each clicked link, and Back restores the list", async () => {
    await page.goto("/hosts?filter.search=boat&sort=-name");
    await rowOf(page, "boat-03").waitFor();
    const names = () =>
      page
        .getByRole("row")
        .getByRole("link", { name: /^boat-/ })
        .allInnerTexts();
    expect(await names()).toEqual(["boat-03", "boat-02", "boat-01"]);
    await link(page, "boat-01").click();
    await expectPage(`/hosts/${boat()}`, "boat-01", "boat-01");
    const parts = page.getByRole("navigation", { name: "Sections of boat-01" });
    await link(parts, "Config").click();
    await expectPage(`/hosts/${boat()}/config`, "boat-01", "boat-01");
    await link(parts, "Debug").click();
    await expectPage(`/hosts/${boat()}/debug`, "boat-01", "Debug boat-01");
    for (let back = 0; back < 3; back++) await page.goBack();
    await expectPage("/hosts?filter.search=boat&sort=-name", "Hosts · 3", "Hosts");
    expect(await names()).toEqual(["boat-03", "boat-02", "boat-01"]);
    expect(await page.getByRole("searchbox").inputValue()).toBe("boat");
  });
});

describe("a dialog with a URL", () => {
  it.each([
    ["block", "Block host boat-01?"],
    ["delete", "Delete host boat-01?"],
  ])("opens above the host's page: %s", async (part, title) => {
    await page.goto(`/hosts/${boat()}/${part}`);
    const dialog = page.getByRole("alertdialog", { name: title });
    await dialog.waitFor();
    await page.reload();
    await dialog.waitFor();
    await button(dialog, "Cancel").click();
    await dialog.waitFor({ state: "hidden" });
    await expectPage(`/hosts/${boat()}`, "boat-01", "boat-01");
  });

  it("closes with Back, and opens again with Forward", async () => {
    await page.goto("/hosts");
    await button(page, "Actions for boat-01").click();
    await page.getByRole("menuitem", { name: "Block…" }).click();
    const dialog = page.getByRole("alertdialog", { name: "Block host boat-01?" });
    await dialog.waitFor();
    await page.goBack();
    await expectPage("/hosts", "Hosts · 4", "Hosts");
    await page.goForward();
    await dialog.waitFor();
    await button(dialog, "Cancel").click();
    await expectPage("/hosts", "Hosts · 4", "Hosts");
  });
});

describe("the URL of a host, lighthouse or relay", () => {
  const parts = ["", "/config", "/activity", "/debug", "/edit", "/enroll"];
  it.each(parts)("redirects a lighthouse's ID to its own path: {id}%s [S2.8]", async (part) => {
    await openPage(page, `/hosts/${fleet.lighthouse.id}${part}`);
    await expectPath(page, `/lighthouses/${fleet.lighthouse.id}${part}`);
    await heading(page, /beacon/).waitFor();
  });

  it.each(parts)(
    "redirects the IDs of a plain host and a relay to their paths: {id}%s [S2.7] [S2.9]",
    async (part) => {
      await openPage(page, `/relays/${boat()}${part}`);
      await expectPath(page, `/hosts/${boat()}${part}`);
      await openPage(page, `/lighthouses/${fleet.relay.id}${part}`);
      await expectPath(page, `/relays/${fleet.relay.id}${part}`);
    },
  );
});

describe("an ID that doesn't exist", () => {
  const unknown = "A".repeat(26);
  it.each([
    `/hosts/host-${unknown}`,
    `/hosts/host-${unknown}/edit`,
    `/hosts/host-${unknown}/enroll`,
    `/hosts/host-${unknown}/unblock`,
    `/hosts/host-${unknown}/debug`,
    `/hosts/host-${unknown}/block`,
    `/lighthouses/host-${unknown}`,
    `/relays/nonsense`,
    `/roles/role-${unknown}`,
    `/roles/add?copy=role-${unknown}`,
    `/routes/route-${unknown}`,
    "/tags/no:such",
    `/hosts/host-${unknown}/else`,
    "/hosts/add/else",
    "/tags/reorder/else",
  ])("shows the 404 page: %s [S2.23] [S4.11]", async (path) => {
    const answer = await page.goto(path);
    expect(answer?.status()).toBe(200);
    await expectPage(path, "Nothing here (404)", "Nothing here");
  });

  it("or belongs to another organization shows the same page", async () => {
    const { page: other } = await visit({ account: await createAccount(server) });
    await other.goto("/get-started");
    await other.getByRole("textbox", { name: "Name" }).fill("Elsewhere");
    await button(other, "Create network").click();
    await heading(other, "Set up your network").waitFor();
    for (const path of [`/hosts/${boat()}`, `/roles/${fleet.ferry.id}`, `/routes/${fleet.route.id}`]) {
      await other.goto(path);
      await expect
        .poll(() => other.getByRole("heading", { level: 1 }).allInnerTexts(), PATIENT)
        .toEqual(["Nothing here (404)"]);
    }
  });
});
