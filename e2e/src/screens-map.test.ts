/** Screens of the map: with and without a selection, as a table, and without hosts. */
import { createNetwork } from "@lightkeeper/contract";
import { beforeAll, inject } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser, type Visitor } from "./browser.ts";
import { markHostSeen } from "./database.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { openPage } from "./open-page.ts";
import { atAddress, describeScreens, EXTREMES, type Screen } from "./screens.ts";
import { button } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let fleet: Fleet;
let member: Visitor;
let newcomer: Visitor;

beforeAll(async () => {
  const account = await createAccount(server);
  fleet = await createFleet(account.call, { boats: 28 });
  await markHostSeen(server.dataDir, fleet.boats[0]!.id);
  await markHostSeen(server.dataDir, fleet.boats[1]!.id, { isDrifted: true });
  member = await visit({ account });
  const fresh = await createAccount(server);
  await fresh.call(createNetwork, { body: { name: "Harbour" } });
  newcomer = await visit({ account: fresh });
});

const drawn = async (query: string) => {
  const { page } = member;
  await openPage(page, `/hosts/map${query}`);
  await page.locator("canvas[data-drawn]").waitFor();
  return page;
};

const screens: Screen[] = [
  { name: "the map", open: () => drawn("") },
  {
    name: "the map with a selected host",
    open: async () => {
      const page = await drawn(`?host=${fleet.boats[0]!.id}`);
      await page.getByRole("complementary", { name: "Selected host" }).waitFor();
      return page;
    },
  },
  {
    name: "the legend of the map on a phone",
    widths: [320],
    open: async () => {
      const page = await drawn("");
      await page.setViewportSize({ width: 320, height: 800 });
      await button(page, "Legend").click();
      return page;
    },
  },
  atAddress("the map as a table", () => member, "/hosts/map?view=table", "Hosts · 31"),
  {
    ...atAddress("the map of a network without hosts", () => newcomer, "/hosts/map", "Hosts · 0"),
    widths: EXTREMES,
  },
];

describeScreens(screens);
