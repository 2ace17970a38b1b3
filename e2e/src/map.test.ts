/** The map of a network in Chromium: what is drawn, the pointer, the keys and the exported files. */
import { readFile } from "node:fs/promises";
import type { HostV2 } from "@lightkeeper/contract";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { createAccount } from "./account.ts";
import { useBrowser } from "./browser.ts";
import { markHostSeen } from "./database.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { reportTunnels } from "./reported-tunnels.ts";
import { button, expectTitle, heading, link, PATIENT } from "./steps.ts";

const visit = useBrowser();
const server = inject("server");
let fleet: Fleet;
let page: Page;

const addressOf = ({ ipAddresses: [address = ""] }: HostV2) => address;

beforeAll(async () => {
  const account = await createAccount(server);
  fleet = await createFleet(account.call, { boats: 12 });
  const { boats, lighthouse, relay } = fleet;
  for (const { id } of [...boats, lighthouse, relay]) await markHostSeen(server.dataDir, id);
  await reportTunnels(server.dataDir, boats[0]!.id, [
    { vpnIp: addressOf(boats[1]!), remoteAddress: "203.0.113.7:4242", relays: [] },
    { vpnIp: addressOf(boats[2]!), remoteAddress: null, relays: [addressOf(relay)] },
    { vpnIp: addressOf(lighthouse), remoteAddress: "203.0.113.8:4242", relays: [] },
  ]);
  ({ page } = await visit({ account }));
});

const map = () => page.getByRole("application");
const panel = () => page.getByRole("complementary", { name: "Selected host" });

async function openMap(query = ""): Promise<void> {
  await page.goto(`/hosts/map${query}`);
  await page.locator("canvas[data-drawn]").waitFor();
}

/** Whether the canvas has pixels of several colors: an empty one has none. */
const countColors = () =>
  page.locator("canvas").evaluate((canvas) => {
    const { width, height } = canvas as HTMLCanvasElement;
    const { data } = (canvas as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, width, height);
    const colors = new Set<number>();
    for (let at = 0; at < data.length; at += 4)
      colors.add((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!);
    return colors.size;
  });

describe("the map", () => {
  it("is one click from the list of hosts, and draws the network", async () => {
    await page.goto("/hosts");
    await link(page, "Map").click();
    await page.locator("canvas[data-drawn]").waitFor();
    await heading(page, "Hosts · 15").waitFor();
    await expectTitle(page, "Map");
    await page.getByText(/· 3 tunnels · 2 direct, 1 relayed/).waitFor();
    expect(await countColors()).toBeGreaterThan(20);
  });

  it("moves with the pointer and the wheel, and keeps its place in the URL", async () => {
    await openMap();
    const box = (await map().boundingBox())!;
    await page.mouse.move(box.x + 20, box.y + box.height - 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 120, box.y + box.height - 80, { steps: 5 });
    await page.mouse.up();
    await page.mouse.wheel(0, -300);
    const zoom = async () => Number.parseInt(await page.getByRole("group", { name: "Zoom" }).innerText(), 10);
    const zoomInURL = () => Number(new URL(page.url()).searchParams.get("at")?.split(",")[2]) * 100;
    await expect
      .poll(async () => Math.round(zoomInURL()) === (await zoom()) && zoomInURL() > 150, PATIENT)
      .toBe(true);
    const before = await zoom();
    await page.reload();
    await page.locator("canvas[data-drawn]").waitFor();
    await expect.poll(zoom, PATIENT).toBe(before);
    await button(page, "Fit to screen").click();
    await expect.poll(() => page.url(), PATIENT).not.toContain("at=");
  });

  it("is used with the keyboard alone", async () => {
    await openMap();
    await map().focus();
    for (const key of ["ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key);
    await panel().waitFor();
    const name = await panel().getByRole("heading", { level: 2 }).innerText();
    await page.keyboard.press("Enter");
    await heading(page, name).waitFor();
    await page.goBack();
    await panel().waitFor();
    expect(await panel().getByRole("heading", { level: 2 }).innerText()).toBe(name);
  });

  it("selects the host that is found, with its tunnels and their paths", async () => {
    await openMap();
    await page.keyboard.press("/");
    await page.keyboard.type("boat-01");
    await page.keyboard.press("Enter");
    await panel().getByRole("heading", { level: 2, name: "boat-01" }).waitFor();
    await panel().getByText("3 · 2 direct, 1 relayed").waitFor();
    expect(await panel().getByText("Relayed via buoy").count()).toBe(1);
    await link(panel(), "Check access").click();
    await heading(page, "Can A reach B?").waitFor();
  });
});

describe("an exported map", () => {
  async function exportAs(name: string): Promise<{ fileName: string; content: Buffer }> {
    await openMap();
    await button(page, "Export").click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name }).click();
    const file = await download;
    return { fileName: file.suggestedFilename(), content: await readFile(await file.path()) };
  }

  it("is a valid SVG with every group", async () => {
    const { fileName, content } = await exportAs("SVG image");
    expect(fileName).toBe("map-of-harbour.svg");
    // A page without the policy that forbids the console to parse documents.
    const viewer = await page.context().newPage();
    const texts = await viewer.evaluate((text) => {
      const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
      return [root.tagName, ...[...root.querySelectorAll("text")].map(({ textContent }) => textContent)];
    }, content.toString("utf8"));
    await viewer.close();
    expect(texts[0]).toBe("svg");
    expect(texts).toEqual(expect.arrayContaining(["Ferry", "No role", "Lighthouse", "Relay", "Router"]));
  });

  it("is a valid PNG of the whole map", async () => {
    const { fileName, content } = await exportAs("PNG image");
    expect(fileName).toBe("map-of-harbour.png");
    expect(content.subarray(1, 4).toString("latin1")).toBe("PNG");
    expect(content.readUInt32BE(16)).toBeGreaterThan(400);
    expect(content.readUInt32BE(20)).toBeGreaterThan(200);
  });
});
