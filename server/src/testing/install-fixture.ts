/** A server with agents to download, and another machine for each test that runs the install script. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEnrollmentCode } from "@lightkeeper/contract";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { buildAgent } from "../../../scripts/build-agent.mjs";
import { type App, createApp } from "../app/app.ts";
import { installScript } from "../features/install/install-script.ts";
import { Machine } from "../features/install/testing.ts";
import { createFleet } from "./fleet.ts";
import { type Session, startTestServer, type TestServer } from "./server.ts";

export let server: TestServer;
export let url: string;
export let downloads: string;
export let machine: Machine;
let owner: Session;
let app: App;
let folder: string;
let bundle: string;

/** Registers the hooks that start a server, and create a release and a machine before each test. */
export function useInstall(): void {
  beforeAll(async () => {
    server = await startTestServer();
    owner = await server.signUp();
    folder = mkdtempSync(join(tmpdir(), "lightkeeper-install-"));
    downloads = join(folder, "downloads");
    ({ file: bundle } = await buildAgent(join(folder, "built")));
    app = createApp(server.ctx, { strict: true, downloadsDirectory: downloads });
    await app.http.listen({ host: "127.0.0.1", port: 0 });
    url = `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await app.http.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    mkdirSync(downloads);
    release("1.0.0");
    machine = new Machine();
  });
  afterEach(() => {
    rmSync(downloads, { recursive: true });
    machine.remove();
  });
}

/** Replaces the machine by a new one. */
export function replaceMachine(shell?: string[]): void {
  machine.remove();
  machine = new Machine(shell);
}

/** Executables that print the version and otherwise run the bundle. */
export function release(version: string): void {
  for (const platform of ["linux-amd64", "linux-arm64"])
    writeFileSync(
      join(downloads, `lightkeeper-agent-${version}-${platform}`),
      `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else exec node ${bundle} "$@"; fi\n`,
    );
}
export function releaseBundle(version: string): void {
  writeFileSync(
    join(downloads, `lightkeeper-agent-${version}.mjs`),
    `if (process.argv[2] === "--version") console.log("${version}"); else await import("${bundle}");\n`,
  );
}
export const emptyDownloads = () => {
  for (const name of readdirSync(downloads)) rmSync(join(downloads, name));
};

export async function createCode(): Promise<{ hostID: string; code: string }> {
  const { id: hostID } = await (await createFleet(server, owner)).add();
  const { code } = await owner.call(createEnrollmentCode, { params: { hostID } });
  return { hostID, code };
}
export const install = (...args: string[]) => machine.run(installScript(url), ...args);
export const program = "usr/local/bin/lightkeeper-agent";
export const bundleFile = "usr/local/lib/lightkeeper-agent.mjs";
export const unit = "etc/systemd/system/lightkeeper-agent.service";
export const state = "var/lib/lightkeeper/enrollment.json";
export function filesOf({ root }: Machine): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
export const failure = (message: RegExp) => ({ code: 1, output: "", errors: expect.stringMatching(message) });
