/** The upgrade of a network to version 2 certificates, from the network's page until the old CA is retired. */
import { createHostV2, createNetworkV2, type NetworkV2 } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { markHostSeen } from "./database.ts";
import { enrollHost } from "./enroll-host.ts";
import { expectAccessibleScreen } from "./screen-checks.ts";
import { EXTREMES } from "./screens.ts";
import { button, expectPath, expectText, field, heading, link, PATIENT, rowOf } from "./steps.ts";
import { describeStory } from "./story.ts";

const visit = useBrowser();
const server = inject("server");
let account: Account;
let page: Page;

beforeAll(async () => {
  account = await createAccount(server);
  ({ page } = await visit({ account }));
});

const createNetwork = (name: string): Promise<NetworkV2> => account.call(createNetworkV2, { body: { name } });
const pathOf = ({ id }: NetworkV2) => `/settings/networks/${id}/upgrade`;
const currentStep = () => page.locator('[aria-current="step"]');
const expectStep = (label: string) => currentStep().filter({ hasText: label }).waitFor();
/** The server takes a step every few seconds. */
const FEW_STEPS = { timeout: 2 * PATIENT.timeout };
const dialog = () => page.getByRole("alertdialog");

describeStory("the upgrade of a network with offline hosts", () => {
  let network: NetworkV2;
  beforeAll(async () => {
    network = await createNetwork("Harbour");
    for (const name of ["boat-01", "boat-02"]) {
      const { id } = await account.call(createHostV2, { body: { name, networkID: network.id } });
      await enrollHost(server.url, account, id);
      await markHostSeen(server.dataDir, id, { isOnline: false });
    }
  });

  it("starts on the network's page and lists hosts with an unknown version of Nebula", async () => {
    await page.goto(`/settings/networks/${network.id}`);
    await link(page, "Upgrade to IPv6…").click();
    await heading(page, "Upgrade Harbour").waitFor();
    await field(page, /^IPv6 CIDR/).fill("fd77::/64");
    await expectAccessibleScreen(page, "upgrade before it starts", EXTREMES);
    await button(page, "Start upgrade").click();
    await expectStep("Check the version of Nebula");
    await expectText(currentStep(), "Waiting for 2 hosts.");
    await rowOf(page, "boat-02").filter({ hasText: "Unknown" }).waitFor();
    await expectAccessibleScreen(page, "upgrade in progress", EXTREMES);
  });

  it("skips them after the network's name is typed, and continues with the next step", async () => {
    await link(page, "Skip hosts…").click();
    await field(dialog(), /^Type Harbour/).fill("Harbour");
    await button(dialog(), "Skip hosts").click();
    await dialog().waitFor({ state: "detached" });
    await expectPath(page, pathOf(network));
    await expectStep("Distribute the new CA");
    await expectText(currentStep(), "Waiting for 2 hosts.");
    expect(await page.getByRole("columnheader", { name: "Nebula" }).count()).toBe(0);
  });

  it("is reverted, and can be started again", async () => {
    await link(page, "Revert…").click();
    await button(dialog(), "Revert upgrade").click();
    await button(page, "Start upgrade").waitFor();
    expect(await currentStep().count()).toBe(0);
  });
});

describeStory("the upgrade of a network without hosts", () => {
  let network: NetworkV2;
  beforeAll(async () => {
    network = await createNetwork("Lagoon");
  });

  it("waits before its last step, and the network's page shows how far it is", async () => {
    await page.goto(pathOf(network));
    await button(page, "Start upgrade").click();
    await page.getByRole("heading", { name: "Upgrade in progress" }).waitFor();
    await link(page, "Finish upgrade…").waitFor(FEW_STEPS);
    await expectStep("Use version 2 for new tunnels");
    await expectAccessibleScreen(page, "upgrade before its last step", EXTREMES);
    await link(page, "Lagoon").click();
    await expectText(
      page,
      "Step 4 of 6: Use version 2 for new tunnels. All hosts are ready for the last step.",
    );
    await link(page, "View upgrade").click();
  });

  it("is completed without a reload after it is finished", async () => {
    await link(page, "Finish upgrade…").click();
    await expectAccessibleScreen(page, "finishing an upgrade", EXTREMES);
    await field(dialog(), /^Type Lagoon/).fill("Lagoon");
    await button(dialog(), "Finish upgrade").click();
    await page.getByRole("heading", { name: "Upgrade completed" }).waitFor(FEW_STEPS);
    await expectAccessibleScreen(page, "completed upgrade", EXTREMES);
    await link(page, "Lagoon").click();
    await expectText(page, "2 (Nebula 1.10 or newer)");
    await expect.poll(() => page.getByText(/was completed .* ago\.$/).count(), PATIENT).toBe(1);
  });
});
