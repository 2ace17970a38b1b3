/** Networks with IPv6, or with IPv4 and IPv6: adding them and their hosts in the console. */
import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it } from "vitest";
import { type Account, createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { openPage } from "./open-page.ts";
import { button, checkbox, expectText, field, heading, link, PATIENT, pick, rowOf } from "./steps.ts";
import { describeStory } from "./story.ts";

const visit = useBrowser();
const server = inject("server");
let account: Account;
let page: Page;

beforeAll(async () => {
  account = await createAccount(server);
  ({ page } = await visit({ account }));
});

const choose = (label: string) => page.getByRole("radio", { name: label, exact: true }).check();

async function addNetwork(name: string, addresses: string, fill: () => Promise<void>): Promise<void> {
  await openPage(page, "/settings/networks/add");
  await field(page, "Name").fill(name);
  await choose(addresses);
  await fill();
  await button(page, "Add network").click();
}

async function addHost(name: string, network: string, fill: () => Promise<void>): Promise<void> {
  await openPage(page, "/hosts/add");
  await field(page, "Name").fill(name);
  await pick(page, "Network", network);
  await fill();
  await button(page, "Add host").click();
  await heading(page, `Enroll ${name}`).waitFor();
}

const rowText = async (name: string) => {
  await rowOf(page, name).waitFor(PATIENT);
  return rowOf(page, name).innerText();
};

describeStory("IPv6 in the console", () => {
  it("adds a network with a random IPv6 range and another curve", async () => {
    await addNetwork("Reef", "IPv6", async () => {
      await expectText(
        page,
        "Leave empty to use a random private /64 (more than a trillion host addresses).",
      );
      await page.getByLabel("Curve").selectOption("P256");
    });
    await expectText(page, "Network Reef added");
    expect(await rowText("Reef")).toMatch(/fd[0-9a-f:]+::\/64[^]*Version 2, P-256/);
  });

  it("shows the server’s objections beside the ranges of a network with both families", async () => {
    await addNetwork("Lagoon", "IPv4 and IPv6", async () => {
      await field(page, "IPv4 CIDR").fill("10.20.0.0/16");
      await field(page, /^IPv6 CIDR/).fill("fd20::/32");
    });
    await page.getByText(/^Can’t use this range: the mask size must be/).waitFor();
    expect(await field(page, /^IPv6 CIDR/).getAttribute("aria-invalid")).toBe("true");
    await field(page, /^IPv6 CIDR/).fill("fd20::/64");
    await button(page, "Add network").click();
    await expectText(page, "Network Lagoon added");
    expect(await rowText("Lagoon")).toMatch(/10\.20\.0\.0\/16\s+fd20::\/64/);
  });

  it("assigns both addresses, or only IPv6", async () => {
    await addHost("anchor", "Lagoon", async () => {
      await field(page, /^IPv4 address/).fill("10.20.4.4/30");
      await field(page, /^IPv6 address/).fill("FD20:0::7");
    });
    await addHost("buoy", "Lagoon", () => checkbox(page, "Assign an IPv4 address").uncheck());
    await openPage(page, "/hosts");
    expect(await rowText("anchor")).toMatch(/10\.20\.4\.4\s+fd20::7/);
    expect(await rowText("buoy")).toMatch(/fd20::1/);
    expect(await rowText("buoy")).not.toContain("10.20.");
    await link(page, "anchor").click();
    await button(page, "Copy IPv4 address").waitFor();
    await button(page, "Copy IPv6 address").waitFor();
  });

  it("adds an IPv4 range to the network with IPv6, for hosts that are added later", async () => {
    await openPage(page, "/settings/networks");
    await link(page, "Reef").click();
    await button(page, "Add IPv4 range…").click();
    const dialog = page.getByRole("dialog");
    await field(dialog, "IPv4 CIDR").fill("10.20.0.0/24");
    await button(dialog, "Add range").click();
    await expectText(dialog, "Can’t use this range: overlaps another network.");
    await field(dialog, "IPv4 CIDR").fill("10.30.0.0/24");
    await button(dialog, "Add range").click();
    await expectText(page, "IPv4 range added to Reef");
    await button(page, "Copy IPv4 CIDR").waitFor();
    await addHost("coral", "Reef", async () => {});
    await openPage(page, "/hosts");
    expect(await rowText("coral")).toMatch(/10\.30\.0\.1\s+fd/);
  });

  it("describes the new range in the audit log", async () => {
    await openPage(page, "/logs/audit");
    await expectText(page, "10.30.0.0/24");
    expect(await page.getByRole("main").innerText()).toMatch(/added 10\.30\.0\.0\/24 to network Reef/);
  });
});
