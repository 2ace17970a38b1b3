/** The health of hosts and what needs attention, above the list of hosts. */
import { blockHostV2 } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { markHostSeen } from "./database.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { recordShifts, SHIFT_MAX } from "./layout-shifts.ts";
import { record } from "./loads.ts";
import { button, heading, link, PATIENT, rowOf } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let account: Account;
let fleet: Fleet;

beforeAll(async () => {
  account = await createAccount(server);
  fleet = await createFleet(account.call, { boats: 28 });
  const [online, expiring, blocked] = fleet.boats;
  await markHostSeen(server.dataDir, fleet.lighthouse.id, { isOnline: false });
  await markHostSeen(server.dataDir, online!.id);
  await markHostSeen(server.dataDir, expiring!.id, { isOnline: false, certificateDays: 9 });
  await account.call(blockHostV2, { params: { hostID: blocked!.id } });
});

const attention = (page: Page) => page.getByRole("region", { name: /^Needs attention/ });
const items = (page: Page) => attention(page).getByRole("heading", { level: 3 });
const health = (page: Page) => page.getByRole("navigation", { name: "Host health" });

describe("the list of hosts", () => {
  it.each([1280, 390])("loads without layout shifts at %i px, with two items", async (width) => {
    const { page } = await visit({ account });
    await page.setViewportSize({ width, height: 900 });
    const readShift = await recordShifts(page);
    const { waitUntilIdle } = await record(page);
    await page.goto("/hosts");
    await rowOf(page, "boat-01").waitFor();
    await expect.poll(() => items(page).count(), PATIENT).toBe(2);
    await waitUntilIdle();
    expect(await readShift()).toBeLessThanOrEqual(SHIFT_MAX);
  });

  it("shows what needs attention, and filters by each count", async () => {
    const { page } = await visit({ account });
    await page.goto("/hosts");
    await expect.poll(() => items(page).count(), PATIENT).toBe(2);
    expect(await items(page).first().textContent()).toContain("has no reachable lighthouse");
    expect(await link(health(page), "Online 1").count()).toBe(1);
    await link(health(page), "Blocked 1").click();
    await heading(page, "Hosts · 1").waitFor();
    await rowOf(page, fleet.boats[2]!.name).waitFor();
    await link(health(page), "Blocked 1").click();
    await heading(page, "Hosts · 29").waitFor();
    await link(attention(page), "View host").click();
    await heading(page, fleet.boats[1]!.name).waitFor();
  });

  it("updates live, but removes no item under the pointer", async () => {
    const { page } = await visit({ account });
    await page.goto("/hosts");
    await expect.poll(() => items(page).count(), PATIENT).toBe(2);
    await attention(page).hover();
    await account.call(blockHostV2, { params: { hostID: fleet.boats[1]!.id } });
    await link(health(page), "Blocked 2").waitFor();
    expect(await items(page).count()).toBe(2);
    await button(page, "More actions").hover();
    await expect.poll(() => items(page).count(), PATIENT).toBe(1);
  });
});
