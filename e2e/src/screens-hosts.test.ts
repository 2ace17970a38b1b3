/** Screens of hosts: the list and its states, a host's pages and dialogs, adding and enrolling. */
import { blockHostV2, createNetwork } from "@lightkeeper/contract";
import type { Locator, Page } from "playwright-core";
import { beforeAll, inject } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser, type Visitor } from "./browser.ts";
import { insertReport, markHostSeen } from "./database.ts";
import { enrollHost } from "./enroll-host.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { openPage } from "./open-page.ts";
import { atAddress, describeScreens, EXTREMES, type Screen } from "./screens.ts";
import { button, checkbox, field, heading, pick } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let fleet: Fleet;
let member: Visitor;
let newcomer: Visitor;

beforeAll(async () => {
  const account = await createAccount(server);
  fleet = await createFleet(account.call, { boats: 28 });
  const [online, offline, drifted, expiring, blocked] = fleet.boats;
  for (const boat of [online!, blocked!]) await enrollHost(server.url, account, boat.id);
  await insertReport(server.dataDir, online!.id, [
    {
      vpnIp: fleet.lighthouse.ipAddresses[0],
      remoteAddress: "203.0.113.7:4242",
      relays: [],
      handshakeAt: new Date().toISOString(),
      latencyMs: 1.4,
    },
    { vpnIp: fleet.router.ipAddresses[0], remoteAddress: null, relays: [fleet.relay.ipAddresses[0]] },
    { vpnIp: "100.100.3.250" },
  ]);
  await markHostSeen(server.dataDir, fleet.lighthouse.id);
  await markHostSeen(server.dataDir, online!.id);
  await markHostSeen(server.dataDir, offline!.id, { isOnline: false });
  await markHostSeen(server.dataDir, drifted!.id, { isDrifted: true });
  await markHostSeen(server.dataDir, expiring!.id, { certificateDays: 9 });
  await account.call(blockHostV2, { params: { hostID: blocked!.id } });
  member = await visit({ account });
  newcomer = await visitEmptyNetwork();
});

async function visitEmptyNetwork(): Promise<Visitor> {
  const fresh = await createAccount(server);
  await fresh.call(createNetwork, { body: { name: "Harbour" } });
  return visit({ account: fresh });
}

const boat = (number: number) => fleet.boats[number - 1]!;
const at = (number: number, part = "") => `/hosts/${boat(number).id}${part}`;

/** A short list, after an action on it. */
const onList = (
  name: string,
  act: (page: Page) => Promise<unknown>,
  path = "/hosts?filter.search=boat-0",
): Screen => ({
  name,
  widths: EXTREMES,
  open: async () => {
    const { page } = member;
    await openPage(page, path);
    await page.getByRole("row").nth(1).waitFor();
    await act(page);
    return page;
  },
});

const shown = (locator: Locator) => locator.filter({ visible: true }).first().waitFor();

async function selectTwo(page: Page): Promise<void> {
  await checkbox(page, "Select boat-01").check();
  await checkbox(page, "Select boat-02").check();
  await page.getByRole("toolbar", { name: "Selected rows" }).waitFor();
}

const lists: Screen[] = [
  atAddress("hosts", () => member, "/hosts", "Hosts · 29"),
  atAddress("hosts-empty", () => newcomer, "/hosts", "Hosts · 0"),
  atAddress("lighthouses", () => member, "/lighthouses", "Lighthouses · 1"),
  atAddress("relays", () => member, "/relays", "Relays · 1"),
  {
    name: "hosts-nothing-matches",
    widths: EXTREMES,
    open: async () => {
      await openPage(member.page, "/hosts?filter.search=no-such-boat&filter.status=blocked");
      await heading(member.page, "Hosts · 0").waitFor();
      await shown(member.page.getByRole("heading", { name: "Nothing matches" }));
      return member.page;
    },
  },
  onList("hosts-selected", selectTwo),
  onList(
    "hosts-all-selected",
    async (page) => {
      await checkbox(page, "Select every row on this page").check();
      await button(page, "Select all 29 matching").click();
      await shown(page.getByText("29 selected"));
    },
    "/hosts",
  ),
  onList("hosts-columns", async (page) => {
    await button(page, "Columns").click();
    await page.getByRole("menuitemcheckbox", { name: "Created" }).waitFor();
  }),
  onList("hosts-filter", async (page) => {
    await button(page, "Status").click();
    await page.getByRole("dialog", { name: "Filter by status" }).waitFor();
  }),
  onList("hosts-filtered", (page) => button(page, "Clear").waitFor(), "/hosts?filter.tag=crew%3Anight"),
  onList("hosts-save-view", async (page) => {
    await button(page, "Views").click();
    await page.getByRole("menuitem", { name: "Save this view…" }).click();
    await page.getByRole("dialog", { name: "Save this view" }).waitFor();
  }),
  onList("hosts-add-tags", async (page) => {
    await selectTwo(page);
    await button(page, "Add tags").click();
    const dialog = page.getByRole("dialog", { name: "Add tags to 2 hosts" });
    await dialog.waitFor();
    await pick(page, "Tags", "crew:night");
  }),
  onList("hosts-delete", async (page) => {
    await selectTwo(page);
    await button(page, "Delete").click();
    await page.getByRole("alertdialog", { name: "Delete 2 hosts?" }).waitFor();
  }),
  onList("hosts-row-menu", async (page) => {
    await button(page, "Actions for boat-02").click();
    await page.getByRole("menuitem", { name: "Block…" }).waitFor();
  }),
];

const dialogAt = (name: string, path: () => string, title: string): Screen => ({
  name,
  widths: EXTREMES,
  open: async () => {
    await openPage(member.page, path());
    await member.page.getByRole("alertdialog", { name: title }).waitFor();
    return member.page;
  },
});

const oneHost: Screen[] = [
  atAddress(
    "host",
    () => member,
    () => at(1),
    "boat-01",
  ),
  {
    ...atAddress(
      "host-new",
      () => member,
      () => at(9),
      "boat-09",
    ),
    widths: EXTREMES,
  },
  {
    name: "host-blocked",
    widths: EXTREMES,
    open: async () => {
      await openPage(member.page, at(5));
      await shown(member.page.getByRole("heading", { name: "Block in progress" }));
      return member.page;
    },
  },
  {
    name: "host-config",
    open: async () => {
      await openPage(member.page, at(1, "/config"));
      await member.page.getByRole("region", { name: "Configuration file" }).waitFor();
      return member.page;
    },
  },
  {
    name: "host-activity",
    open: async () => {
      await openPage(member.page, at(5, "/activity"));
      await shown(member.page.getByRole("listitem").filter({ hasText: "blocked" }));
      return member.page;
    },
  },
  atAddress(
    "host-debug",
    () => member,
    () => at(2, "/debug"),
    "boat-02",
  ),
  atAddress(
    "host-edit",
    () => member,
    () => at(1, "/edit"),
    "Edit boat-01",
  ),
  dialogAt("host-block", () => at(1, "/block"), "Block host boat-01?"),
  dialogAt("host-delete", () => at(1, "/delete"), "Delete host boat-01?"),
  {
    name: "host-delete-rejected",
    widths: EXTREMES,
    open: async () => {
      const { page } = member;
      await openPage(page, `/hosts/${fleet.router.id}/delete`);
      const dialog = page.getByRole("alertdialog", { name: "Delete host lock-gate?" });
      await field(dialog, /^Type/).fill("lock-gate");
      await button(dialog, "Delete").click();
      await dialog.getByRole("link", { name: "Canal" }).waitFor();
      return page;
    },
  },
];

const enrollment: Screen[] = [
  atAddress("host-add", () => member, "/hosts/add", "Add host"),
  {
    name: "lighthouse-add-rejected",
    widths: EXTREMES,
    open: async () => {
      const { page } = member;
      await openPage(page, "/lighthouses/add");
      await button(page, "Add lighthouse").click();
      await shown(
        page.getByText("Enter at least one address that every host can reach, such as 203.0.113.7:4242."),
      );
      return page;
    },
  },
  { ...atAddress("relay-add", () => member, "/relays/add", "Add relay"), widths: EXTREMES },
  {
    name: "enroll",
    open: async () => {
      await openPage(member.page, at(10, "/enroll"));
      await shown(member.page.getByText("Waiting for the host…"));
      return member.page;
    },
  },
  {
    name: "enroll-phone",
    widths: EXTREMES,
    open: async () => {
      await openPage(member.page, at(10, "/enroll"));
      await member.page.getByRole("tab", { name: "Enrollment code" }).click();
      await member.page.getByRole("img", { name: "QR code of the enrollment code" }).waitFor();
      return member.page;
    },
  },
  atAddress(
    "unblock",
    () => member,
    () => at(5, "/unblock"),
    "Unblock boat-05",
  ),
  {
    name: "hosts-add-several",
    open: async () => {
      const { page } = member;
      await openPage(page, "/hosts/add-several");
      await pick(page, "Network", "Harbour");
      await field(page, "Hosts").fill(
        "tug-1\nboat-01\ntug-2, Ferry, pier:east;crew:night, 100.100.1.9\ntug-1",
      );
      await shown(page.getByText("4 hosts, 1 row needs fixing"));
      return page;
    },
  },
  {
    name: "hosts-added",
    open: async () => {
      const { page } = await visitEmptyNetwork();
      await openPage(page, "/hosts/add-several");
      await field(page, "Hosts").fill("tug-1\ntug-2");
      await button(page, "Add 2 hosts").click();
      await button(page, "I’ve saved it").waitFor();
      return page;
    },
  },
];

describeScreens([...lists, ...oneHost, ...enrollment]);
