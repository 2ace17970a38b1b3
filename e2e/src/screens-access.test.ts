/** Screens of roles, routes and tags, of deleting those in use, of the palette and the checklist. */
import { createHostV2, createNetwork, type HostV2 } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, inject } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser, type Visitor } from "./browser.ts";
import { markHostSeen } from "./database.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { openPage } from "./open-page.ts";
import { atAddress, describeScreens, EXTREMES, type Screen } from "./screens.ts";
import { button, chooseInRowMenu, expectFocus, field, heading, link, picker, rowOf } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let fleet: Fleet;
let member: Visitor;
let newcomer: Visitor;
let beginner: Visitor;
let waiting: HostV2;

beforeAll(async () => {
  const account = await createAccount(server);
  fleet = await createFleet(account.call);
  member = await visit({ account });
  const fresh = await createAccount(server);
  await fresh.call(createNetwork, { body: { name: "Harbour" } });
  newcomer = await visit({ account: fresh });
  const begun = await createAccount(server);
  const { id: networkID } = await begun.call(createNetwork, { body: { name: "Harbour" } });
  const place = { networkID, staticAddresses: ["203.0.113.7:4242"], listenPort: 4242, isLighthouse: true };
  const lighthouse = await begun.call(createHostV2, { body: { name: "beacon", ...place } });
  await markHostSeen(server.dataDir, lighthouse.id);
  waiting = await begun.call(createHostV2, { body: { name: "boat-01", networkID } });
  beginner = await visit({ account: begun });
});

/** The dialog that shows what uses a role or tag, and what deleting it changes. */
const inUse = (name: string, list: string, thing: () => string, dependent: string): Screen => ({
  name,
  widths: EXTREMES,
  open: async () => {
    const { page } = member;
    await openPage(page, list);
    await rowOf(page, thing()).waitFor();
    await chooseInRowMenu(page, thing(), "Delete…");
    const dialog = page.getByRole("alertdialog");
    await link(dialog, dependent).waitFor();
    await dialog.getByRole("checkbox", { name: /^Remove this/ }).check();
    return page;
  },
});

const roles: Screen[] = [
  atAddress("roles", () => member, "/roles", "Roles · 3"),
  {
    name: "role-add",
    open: async () => {
      const { page } = member;
      await openPage(page, "/roles/add");
      await button(page, "Add rule").click();
      await picker(page, "Ports").waitFor();
      return page;
    },
  },
  {
    name: "role-edit",
    open: async () => {
      const { page } = member;
      await openPage(page, `/roles/${fleet.ferry.id}`);
      await heading(page, "Edit Ferry").waitFor();
      await button(page, "Allow TCP 22 (SSH) from role Pilot with tag pier:east").click();
      return page;
    },
  },
  inUse("role-in-use", "/roles", () => "Pilot", "Ferry"),
];

const routes: Screen[] = [
  atAddress("routes", () => member, "/routes", "Routes · 1"),
  { ...atAddress("routes-empty", () => newcomer, "/routes", "Routes · 0"), widths: EXTREMES },
  {
    name: "route-add",
    open: async () => {
      const { page } = member;
      await openPage(page, "/routes/add");
      await button(page, "Add route").click();
      await page.getByRole("alert").first().waitFor();
      return page;
    },
  },
  atAddress(
    "route-edit",
    () => member,
    () => `/routes/${fleet.route.id}`,
    "Edit Canal",
  ),
  {
    name: "route-delete",
    widths: EXTREMES,
    open: async () => {
      await openPage(member.page, `/routes/${fleet.route.id}`);
      await button(member.page, "Delete route…").click();
      await member.page.getByRole("alertdialog", { name: "Delete route Canal?" }).waitFor();
      return member.page;
    },
  },
];

const tags: Screen[] = [
  atAddress("tags", () => member, "/tags", "Tags · 3"),
  { ...atAddress("tags-empty", () => newcomer, "/tags", "Tags · 0"), widths: EXTREMES },
  {
    name: "tag-add",
    open: async () => {
      const { page } = member;
      await openPage(page, "/tags/add");
      await field(page, "Name").fill("no colon in it");
      await button(page, "Add tag").click();
      await page.getByRole("alert").first().waitFor();
      return page;
    },
  },
  atAddress("tag-edit", () => member, "/tags/crew:night", "Edit crew:night"),
  {
    name: "tag-reorder",
    open: async () => {
      const { page } = member;
      await openPage(page, "/tags/reorder");
      await button(page, "Move pier:west").focus();
      await page.keyboard.press("Space");
      return page;
    },
  },
  { ...atAddress("tag-reorder-empty", () => newcomer, "/tags/reorder", "Reorder tags"), widths: EXTREMES },
  inUse("tag-in-use", "/tags", () => "pier:east", "boat-01"),
];

const palette = (name: string, act: (page: Page) => Promise<unknown>): Screen => ({
  name,
  open: async () => {
    const { page } = member;
    // Reloads the console, because the palette of the previous screen may be open.
    await page.goto("/roles");
    await rowOf(page, "Ferry").waitFor();
    await page.keyboard.press("Control+k");
    await expectFocus(picker(page, "Search and commands"));
    await act(page);
    return page;
  },
});

const everywhere: Screen[] = [
  palette("palette", (page) => page.getByRole("option", { name: "Hosts" }).first().waitFor()),
  palette("palette-found", async (page) => {
    await page.keyboard.type("boat-0");
    await page.getByRole("option", { name: /boat-03/ }).waitFor();
  }),
  palette("palette-groups", async (page) => {
    await page.keyboard.type("rotate");
    await page.getByRole("option", { name: /^Rotate the CA of Harbour/ }).waitFor();
    await page.getByRole("group", { name: "Documentation" }).waitFor();
  }),
  palette("palette-block", async (page) => {
    await page.keyboard.type("block boat");
    await page.getByRole("option", { name: /^Block boat-01/ }).waitFor();
  }),
  {
    name: "shortcuts",
    open: async () => {
      const { page } = member;
      await page.goto("/hosts");
      await rowOf(page, "boat-01").waitFor();
      await page.keyboard.press("?");
      const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
      for (const name of ["Anywhere", "Lists", "Go to"])
        await dialog.getByRole("heading", { name, exact: true }).waitFor();
      return page;
    },
  },
  palette("palette-nothing", async (page) => {
    await page.keyboard.type("kraken");
    await page.getByText("No results for").first().waitFor();
  }),
  {
    name: "get-started-lighthouse",
    widths: EXTREMES,
    open: async () => {
      await openPage(newcomer.page, "/get-started");
      await link(newcomer.page, "Add lighthouse").waitFor();
      return newcomer.page;
    },
  },
  {
    name: "get-started-host",
    open: async () => {
      await openPage(beginner.page, "/get-started");
      await link(beginner.page, `Enroll ${waiting.name}`).waitFor();
      await beginner.page.getByText("Enroll a lighthouse (done)").waitFor();
      return beginner.page;
    },
  },
];

describeScreens([...roles, ...routes, ...tags, ...everywhere]);
