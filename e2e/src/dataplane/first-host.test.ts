/**
 * From the URL in the terminal to a host that is online, as someone who follows the screens does it: Chromium, the
 * install command, the agent and nebula are real. The server's machine is a network namespace that the browser isn't in.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { MINUTE_MS } from "@lightkeeper/contract/durations";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { codeFor, newEmail } from "../account.ts";
import { useBrowser } from "../browser.ts";
import { createQuietNetwork, type QuietNetwork } from "../quiet-network.ts";
import { startServer, type ServerProcess, temporaryDataDir } from "../server-process.ts";
import { button, enterCode, expectText, field, heading, link, picker, readManualKey } from "../steps.ts";

const CLICKS_MAX = 12;
const DURATION_MS_MAX = 5 * MINUTE_MS;

let data: ReturnType<typeof temporaryDataDir>;
let server: ServerProcess;
let browserNetwork: QuietNetwork;
let machine: QuietNetwork;
let root: string;
let agent: ChildProcess | undefined;
let clicks = 0;
let startedAt: number;
const visit = useBrowser(() => browserNetwork.executable);

beforeAll(async () => {
  startedAt = performance.now();
  data = temporaryDataDir();
  server = await startServer({ dataDir: data.dataDir });
  const port = Number(new URL(server.url).port);
  [browserNetwork, machine] = await Promise.all([createQuietNetwork(port), createQuietNetwork(port)]);
  root = createRoot();
});
afterAll(async () => {
  if (agent && agent.exitCode === null) {
    const exited = once(agent, "exit");
    agent.kill("SIGTERM");
    await exited;
  }
  await server.stop();
  machine.remove();
  browserNetwork.remove();
  data.remove();
  rmSync(root, { recursive: true, force: true });
});

/** A directory that the install script uses instead of /, with a sudo for the root user of the tests. */
function createRoot(): string {
  const directory = mkdtempSync(join(tmpdir(), "lightkeeper-first-host-"));
  chmodSync(directory, 0o755);
  writeFileSync(join(directory, "sudo"), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  return directory;
}

const environment = () => ({ PATH: `${root}:${process.env.PATH}`, LIGHTKEEPER_ROOT: root });
const onMachine = (command: string) => ["netns", "exec", machine.namespace, "sh", "-c", command];

/** Runs a command in the machine's terminal; returns what it prints. */
async function runInTerminal(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)("ip", onMachine(command), { env: environment() });
  return stdout;
}

/** Counts real clicks. Those that the Enter key causes have no click count. */
async function countClicks(page: Page): Promise<void> {
  await page.exposeFunction("countClick", () => (clicks += 1));
  await page.addInitScript(() => {
    addEventListener(
      "click",
      ({ isTrusted, detail }) => {
        if (isTrusted && detail > 0) (window as unknown as { countClick: () => void }).countClick();
      },
      { capture: true },
    );
  });
}

/** The address and the printed link lead through the sign-up; the screens say what to do. */
async function signUp(page: Page): Promise<void> {
  await page.goto("/");
  await link(page, "Create an account").click();
  await heading(page, "Sign up").waitFor();
  await page.keyboard.type(newEmail());
  await page.keyboard.press("Enter");
  await link(page, "open the mailbox").click();
  await page.getByRole("listitem").getByRole("link").first().click();
  await button(page, "Log in").click();
  await enterCode(page, codeFor(await readManualKey(page)));
  await button(page, "I’ve saved them").click();
}

async function createNetwork(page: Page): Promise<void> {
  await heading(page, "Create your first network").waitFor();
  await page.keyboard.type("Home");
  await page.keyboard.press("Enter");
  await heading(page, "Set up your network").waitFor();
}

/** Returns the command on the screen, copied with its button. */
async function addLighthouse(page: Page): Promise<string> {
  await link(page, "Add lighthouse").click();
  await heading(page, "Add lighthouse").waitFor();
  await expect.poll(() => picker(page, "Role").inputValue()).toBe("Lighthouse");
  await page.keyboard.type("beacon");
  await field(page, "Static addresses 1").click();
  await page.keyboard.type("198.51.100.1:4242");
  await page.keyboard.press("Enter");
  await heading(page, "Enroll beacon").waitFor();
  await page.getByText("is only reachable from this machine").waitFor();
  await button(page, "Copy command").first().click();
  return page.evaluate(() => navigator.clipboard.readText());
}

/** Without systemd, the install script prints the command that starts the agent. */
function startAgent(output: string): void {
  const [, command = ""] = /Start the agent yourself, as root: (.*)\n/.exec(output) ?? [];
  expect(command).toBe(`${root}/usr/local/bin/lightkeeper-agent run`);
  const state = join(root, "var/lib/lightkeeper");
  agent = spawn("ip", onMachine(`exec ${command} --state-dir ${state}`), {
    env: environment(),
    stdio: "ignore",
  });
}

it("takes at most 12 clicks and 5 minutes to a signed-in console with a host that is online", async () => {
  const { page } = await visit({ url: server.url });
  await countClicks(page);
  await signUp(page);
  await createNetwork(page);
  const command = await addLighthouse(page);
  expect(command).toMatch(/^curl -fsSL http:\/\/localhost:\d+\/install\.sh \| sudo sh -s -- --code/);
  startAgent(await runInTerminal(command));
  await heading(page, "beacon").waitFor();
  await expectText(page, "beacon has enrolled");
  await expectText(page, "Online");
  await expectText(page, "In sync");
  const durationMs = performance.now() - startedAt;
  process.stdout.write(`A host is online after ${clicks} clicks and ${Math.round(durationMs / 1000)} s\n`);
  expect(clicks).toBeGreaterThan(0);
  expect(clicks).toBeLessThanOrEqual(CLICKS_MAX);
  expect(durationMs).toBeLessThan(DURATION_MS_MAX);
});
