/** Changes in the console, made in Chromium, take effect in real nebula processes. */
import { getHostV2 } from "@lightkeeper/contract";
import { MINUTE_MS } from "@lightkeeper/contract/durations";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { useBrowser } from "../browser.ts";
import { createQuietNetwork, type QuietNetwork } from "../quiet-network.ts";
import { button, expectPath, expectText, field, heading, link, pick, picker } from "../steps.ts";
import { OverlayHost } from "./overlay-host.ts";
import { until } from "../until.ts";
import { findBuiltAgent, UNDERLAY_PORT, TestNetwork } from "./test-network.ts";
import { describeStory } from "../story.ts";

/** Nebula checks the certificates of its tunnels every few seconds. */
const DISCONNECT_SECONDS = 12;
/** A long timeout, because packets, agents and a browser share the machine. */
const PATIENT_MS = MINUTE_MS;

let quiet: QuietNetwork;
const visit = useBrowser(() => quiet.executable);
let testNetwork: TestNetwork;
let page: Page;
/** Shows the checklist during all tests and is never reloaded. */
let checklist: Page;
let lighthouse: OverlayHost;
let one: OverlayHost;
let two: OverlayHost;

beforeAll(async () => {
  testNetwork = await TestNetwork.create("1.11.0", inject("server"));
  quiet = await createQuietNetwork(Number(new URL(testNetwork.server.url).port));
  const visitor = await visit({ account: testNetwork.account, url: testNetwork.server.url });
  visitor.context.setDefaultTimeout(PATIENT_MS);
  ({ page } = visitor);
  checklist = await visitor.context.newPage();
  await checklist.goto("/get-started");
  await heading(checklist, "Set up your network").waitFor();
  await checklist.evaluate(() => Object.assign(window, { sameDocument: true }));
});
afterAll(async () => {
  await testNetwork.remove();
  quiet.remove();
});

const step = (name: string) => checklist.getByRole("listitem").filter({ hasText: name });
const expectDone = (name: string) => step(`${name} (done)`).waitFor();
const expectCurrentStep = (name: string) =>
  checklist.locator("[aria-current=step]", { hasText: name }).waitFor();

/** Reads the enrollment code from the command on the screen. */
async function readCode(): Promise<string> {
  const command = await page.getByText(/^curl -fsSL .*\/install\.sh \| sudo sh -s -- --code/).innerText();
  const [, code] = /--code[ =](\S+)$/.exec(command) ?? [];
  if (code === undefined) throw new Error(`No code in: ${command}`);
  return code;
}

/** Adds a host with the form and enrolls a new machine with the code on the screen. */
async function addInConsole(kind: "lighthouse" | "host", name: string): Promise<OverlayHost> {
  const machine = await testNetwork.underlay.createMachine(name);
  await page.goto(`/${kind}s/add`);
  await field(page, "Name").fill(name);
  if (kind === "lighthouse") {
    await field(page, "Static addresses 1").fill(`${machine.address}:${UNDERLAY_PORT}`);
    expect(await page.getByRole("spinbutton", { name: "Listen port" }).inputValue()).toBe("4242");
  } else await pick(page, "Role", "Crew");
  await button(page, `Add ${kind}`).click();
  await heading(page, `Enroll ${name}`).waitFor();
  const id = new URL(page.url()).pathname.split("/")[2] ?? "";
  const { ipAddresses } = await testNetwork.call(getHostV2, { params: { hostID: id } });
  await page.getByText(`Waiting for the ${kind}…`).waitFor();
  const host = new OverlayHost({
    machine,
    agent: findBuiltAgent(),
    nebula: testNetwork.nebula,
    server: testNetwork.proxy.url,
    id,
    addresses: ipAddresses,
  });
  testNetwork.hosts.push(host);
  await host.enroll(await readCode());
  host.start();
  return host;
}

/** The page has switched to the host's page automatically and shows that the host is online. */
async function expectEnrolled(host: OverlayHost, kind: "lighthouse" | "host", name: string): Promise<void> {
  await heading(page, new RegExp(`^${name}$`)).waitFor();
  await expectPath(page, `/${kind}s/${host.id}`);
  await expectText(page, `${name} has enrolled`);
  await expectText(page, "Online");
  await expectText(page, "In sync");
}

/** The host's page lists a tunnel to the other host. */
async function expectTunnel(host: OverlayHost, to: string): Promise<void> {
  await page.goto(`/hosts/${host.id}`);
  await link(page.getByRole("region", { name: /^Tunnels/ }), to).waitFor();
}

const openPort = (port: number) => () => one.probe.reach("tcp", two.address, port, 300);

describeStory("the story of a new network", () => {
  describe("a new user", () => {
    it("adds a lighthouse, runs the command, and sees the lighthouse's page [S2.8] [S2.10]", async () => {
      await expectCurrentStep("Enroll a lighthouse");
      lighthouse = await addInConsole("lighthouse", "beacon");
      await expectEnrolled(lighthouse, "lighthouse", "beacon");
      await expectDone("Enroll a lighthouse");
      await expectCurrentStep("Enroll your first host");
    });

    it("adds a role, which allows pings by default [S2.11]", async () => {
      await page.goto("/roles/add");
      await field(page, "Name").fill("Crew");
      await button(page, "Allow ICMP (ping) from any host").waitFor();
      await button(page, "Add role").click();
      await expectText(page, "Role Crew added");
    });

    it("adds two hosts, and the checklist is updated automatically [S2.7]", async () => {
      one = await addInConsole("host", "one");
      await expectEnrolled(one, "host", "one");
      await expectDone("Enroll your first host");
      await expectCurrentStep("Enroll a second host");
      two = await addInConsole("host", "two");
      await expectEnrolled(two, "host", "two");
      await expectDone("Enroll a second host");
      await expectCurrentStep("Allow a connection");
      await checklist.getByText(/^ping -c 3 100\.100\.0\.\d+$/).waitFor();
    });

    it("has two hosts that reach each other", async () => {
      await until("one reaches two", () => one.probe.ping(two.address));
      await two.probe.serve("tcp", 8080);
      expect(await openPort(8080)()).toBe(false);
    });

    it("sees the tunnel on both hosts' pages, and that the network is up, without a reload", async () => {
      await expectDone("Allow a connection");
      await heading(checklist, "Your network is up").waitFor();
      expect(await checklist.evaluate(() => "sameDocument" in window)).toBe(true);
      await expectTunnel(one, "two");
      await expectTunnel(two, "one");
    });
  });

  describe("a change in the console", () => {
    it("of a role opens and closes a port in the packet filter [S1.1]", async () => {
      await page.goto("/roles");
      await link(page, "Crew").click();
      await button(page, "Add rule").click();
      await picker(page, "Ports").fill("8080");
      await page.keyboard.press("Escape");
      await button(page, "Done").click();
      await button(page, "Save").click();
      await expectText(page, "Role Crew saved");
      await until("the port is open", openPort(8080));

      await link(page, "Crew").click();
      await button(page, "Remove rule TCP 8080").click();
      await button(page, "Save").click();
      await until("the port is closed", async () => !(await openPort(8080)()));
      expect(await one.probe.ping(two.address)).toBe(true);
    });
  });

  describe("the debug page", () => {
    it("shows the real tunnel", async () => {
      await page.goto(`/hosts/${one.id}/debug`);
      await picker(page, "Host").fill(two.address);
      await picker(page, "Host").press("Enter");
      await button(page, "Run").click();
      const result = page.getByRole("region", { name: "Result" });
      await result.waitFor();
      const text = await result.innerText();
      expect(text).toContain(two.address);
      expect(text).toContain(two.machine.address);
    });

    it("streams the log", async () => {
      await page.getByRole("combobox", { name: "Level" }).selectOption("debug");
      await button(page, "Start").click();
      const log = page.getByRole("log", { name: "Log" });
      await button(page, "Stop").waitFor();
      await until("a line comes", async () => {
        await one.probe.ping(lighthouse.address);
        return /\bdebug\b/.test(await log.innerText());
      });
      await button(page, "Stop").click();
      await button(page, "Start").waitFor();
      expect(await page.getByText(/^[\d,]+ lines?$/).innerText()).not.toBe("0 lines");
    });
  });

  describe("blocking in the console", () => {
    it("disconnects the host after its name was typed", async () => {
      await page.goto(`/hosts/${one.id}/block`);
      const dialog = page.getByRole("alertdialog", { name: "Block host one?" });
      expect(await button(dialog, "Block").isDisabled()).toBe(true);
      await field(dialog, /^Type/).fill("one");
      await button(dialog, "Block").click();
      await expectText(page, "one blocked");
      await expectText(page, "Blocked");
      const isDisconnected = async () => !(await two.probe.ping(one.address));
      expect((await until("two no longer reaches one", isDisconnected)) / 1000).toBeLessThan(
        DISCONNECT_SECONDS,
      );
    });

    it("can be undone, and the host reconnects after enrolling again [S2.10]", async () => {
      await link(page, "Unblock").click();
      await heading(page, "Unblock one").waitFor();
      await button(page, "Unblock and create code").click();
      await page.getByRole("tab", { name: "Linux" }).click();
      await one.enroll(await readCode(), "--force");
      await heading(page, /^one$/).waitFor();
      await expectPath(page, `/hosts/${one.id}`);
      await until("one is back", () => two.probe.ping(one.address), { seconds: 60 });
    });
  });
});
